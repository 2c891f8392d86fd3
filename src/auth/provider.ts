/**
 * User providers: a fixed list, or a list in a file that may change. Files are read and watched through what the server hands in.
 * A file that turns bad keeps the last good list. Passwords and hashes are never logged.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { DbError, Fatal, type Logger, messageOf } from "../base/mod.ts";
import type { User, UserProvider } from "./api.ts";
import { parseUsers, type UserEntry, type UserList } from "./user_file.ts";
import { matches } from "./verifier.ts";

/** A text file as a provider needs it. */
export interface TextFile {
  readonly path: string;
  read(): Promise<string>;
  /** Calls back some time after each change; returns how to stop. */
  watch(onChange: () => void): () => void;
}

/** What `--user-provider` names. Throws Fatal for a form it does not know. */
export type ProviderSpec =
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "file"; readonly path: string; readonly watch: boolean };

export function parseProviderSpec(text: string): ProviderSpec {
  const forms: readonly (readonly [string, (rest: string) => ProviderSpec])[] = [
    ["static_user_provider:file:", (rest: string) => ({ kind: "file", path: rest, watch: false })],
    ["watch_file_user_provider:", (rest: string) => ({ kind: "file", path: rest, watch: true })],
    ["static_user_provider:cmd:", (rest: string) => ({ kind: "list", items: rest.split(",") })],
  ];
  for (const [prefix, make] of forms)
    if (text.startsWith(prefix) && text.length > prefix.length)
      return make(text.slice(prefix.length));
  // The text may hold passwords: only its first word is shown.
  throw new Fatal(
    `user_provider "${text.split(":", 1)[0]}:…" is not known: use static_user_provider:file:PATH, static_user_provider:cmd:USER=PASSWORD[,…] or watch_file_user_provider:PATH`,
  );
}

/** Reads the list once; throws Fatal when there is no valid user. */
export async function openUserProvider(
  spec: ProviderSpec,
  openFile: (path: string) => TextFile,
  logger: Logger,
): Promise<UserProvider> {
  if (spec.kind === "list")
    return new ListProvider(checked(parseUsers(spec.items), "the command line", logger));
  const file = openFile(spec.path);
  const provider = new ListProvider(await load(file, logger));
  if (spec.watch) provider.follow(file, logger);
  return provider;
}

async function load(file: TextFile, logger: Logger): Promise<ReadonlyMap<string, UserEntry>> {
  let text: string;
  try {
    text = await file.read();
  } catch (error) {
    throw new Fatal(`cannot read the user file ${file.path}: ${messageOf(error)}`);
  }
  return checked(parseUsers(text.split("\n")), file.path, logger);
}

function checked(list: UserList, where: string, logger: Logger): ReadonlyMap<string, UserEntry> {
  for (const warning of list.warnings) logger.warn({ where }, `user list: ${warning}`);
  if (list.users.size === 0) throw new Fatal(`no valid user in ${where}`);
  return list.users;
}

class ListProvider implements UserProvider {
  #users: ReadonlyMap<string, UserEntry>;
  /**
   * Passwords that were found right, as keyed hashes, so that a client does not pay a slow hash for each request.
   * The key lives and dies with the process. Replaced together with the list.
   */
  #proven = new WeakMap<UserEntry, Buffer>();
  readonly #key = randomBytes(32);
  #stop: () => void = () => {};

  constructor(users: ReadonlyMap<string, UserEntry>) {
    this.#users = users;
  }

  async authenticate(name: string, password: string): Promise<User> {
    const entry = this.#users.get(name);
    if (entry === undefined)
      throw new DbError("user_not_found", `User not found, username: ${name}`);
    const mark = createHmac("sha256", this.#key).update(password).digest();
    const proven = this.#proven.get(entry);
    if (proven !== undefined && timingSafeEqual(proven, mark)) return entry.user;
    if (!(await matches(entry.verifier, password)))
      throw new DbError(
        "password_mismatch",
        `Username and password does not match, username: ${name}`,
      );
    this.#proven.set(entry, mark);
    return entry.user;
  }

  follow(file: TextFile, logger: Logger): void {
    this.#stop = file.watch(() => {
      load(file, logger).then(
        (users) => {
          this.#users = users;
          logger.info({ users: users.size }, `user list ${file.path} read again`);
        },
        (error) => logger.error(`user list kept as it was: ${messageOf(error)}`),
      );
    });
  }

  close(): void {
    this.#stop();
  }
}
