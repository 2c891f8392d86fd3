/**
 * The loader in a process of its own, so that its CPU is told apart from the server's and the
 * reporter's. Forked by `runLoad`; speaks over the IPC channel only.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openBatchFile } from "./batch_file.ts";
import { Loader, type LoadOptions, type LoadResult, type LoadTarget } from "./loader.ts";
import { type BatchSource, generated } from "./source.ts";
import { linesOf, type Workload } from "./workload.ts";

export type LoadSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "generated"; readonly workload: Workload; readonly batchRows: number };

interface Job {
  readonly target: LoadTarget;
  readonly source: LoadSource;
  readonly options: LoadOptions;
}

type FromChild =
  | { readonly kind: "progress"; readonly rows: number }
  | { readonly kind: "done"; readonly result: LoadResult }
  | { readonly kind: "failed"; readonly message: string };

/** How often the child tells its rows: often enough for a progress bar. */
const PROGRESS_MS = 250;

export interface RunningLoad {
  readonly result: Promise<LoadResult>;
  /** Lets requests in flight end, then the result comes. */
  stop(): void;
}

/** Runs a load in a new process. `progress` gets acknowledged rows. */
export function startLoad(
  target: LoadTarget,
  source: LoadSource,
  options: LoadOptions,
  progress: (rows: number) => void = () => {},
): RunningLoad {
  const child = fork(fileURLToPath(import.meta.url), ["--loader-child"], {
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const result = new Promise<LoadResult>((resolve, reject) => {
    child.on("message", (message: FromChild) => {
      if (message.kind === "progress") progress(message.rows);
      else if (message.kind === "done") resolve(message.result);
      else reject(new Error(`loader: ${message.message}`));
    });
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`loader ended without a result (${signal ?? code})`)),
    );
  });
  child.send({ target, source, options } satisfies Job);
  return {
    result,
    stop: () => {
      if (child.connected) child.send("stop");
    },
  };
}

function openSource(source: LoadSource): BatchSource {
  return source.kind === "file"
    ? openBatchFile(source.path)
    : generated(linesOf(source.workload), source.batchRows);
}

function childMain(): void {
  const tell = (message: FromChild, then: () => void = () => {}): void => {
    process.send?.(message, undefined, undefined, then);
  };
  let loader: Loader | null = null;
  process.on("disconnect", () => process.exit(1));
  process.on("message", (message: Job | "stop") => {
    if (message === "stop") return loader?.stop();
    const source = openSource(message.source);
    const running = new Loader(message.target, source, message.options);
    loader = running;
    const timer = setInterval(
      () => tell({ kind: "progress", rows: running.rowsAcknowledged }),
      PROGRESS_MS,
    );
    running
      .run()
      .then(
        (result) => tell({ kind: "done", result }, () => process.exit(0)),
        (error: Error) => tell({ kind: "failed", message: error.message }, () => process.exit(1)),
      )
      .finally(() => clearInterval(timer));
  });
}

if (process.argv[2] === "--loader-child") childMain();
