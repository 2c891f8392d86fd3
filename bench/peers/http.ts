/** Control requests to a server under test: not part of any measurement. */
import { createServer } from "node:net";

/** A port nobody uses right now. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === "object"
          ? resolve(address.port)
          : reject(new Error("no free port")),
      );
    });
  });
}

/** The body of a 2xx answer. Throws with status and body otherwise, or after `secondsMax`. */
export async function httpText(
  url: string,
  init: RequestInit = {},
  secondsMax = 300,
): Promise<string> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(secondsMax * 1000) });
  const body = await response.text();
  if (!response.ok)
    throw new Error(`${response.status} from ${url.slice(0, 200)}: ${body.slice(0, 500)}`);
  return body;
}

export async function httpJson(
  url: string,
  init: RequestInit = {},
  secondsMax = 300,
): Promise<unknown> {
  return JSON.parse(await httpText(url, init, secondsMax)) as unknown;
}

/** Whether `url` answers 2xx within a second. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** The number at a path of keys in parsed JSON; throws when there is none. */
export function numberAt(value: unknown, ...path: (string | number)[]): number {
  let at: unknown = value;
  for (const key of path)
    at =
      at !== null && typeof at === "object"
        ? (at as Record<string | number, unknown>)[key]
        : undefined;
  const number = typeof at === "string" ? Number(at) : at;
  if (typeof number !== "number" || Number.isNaN(number))
    throw new Error(`no number at ${path.join(".")} of ${JSON.stringify(value).slice(0, 300)}`);
  return number;
}
