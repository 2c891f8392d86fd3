/** The public HTTP API as the page uses it. Numbers too long for JavaScript stay texts with every digit. */

export interface ResultField {
  readonly name: string;
  readonly data_type: string;
}

/** A cell: text of a number, string, boolean, NULL, or anything nested. */
export type Cell = string | number | boolean | null | object;

export interface Records {
  readonly fields: readonly ResultField[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface SqlAnswer {
  /** Of the last statement that returned rows. */
  readonly records: Records | undefined;
  /** Sum over statements without rows; undefined when there was none. */
  readonly affected: number | undefined;
  readonly elapsedMs: number;
}

/** Rows that the page asks for at most: enough for a chart, few enough for a browser. */
export const ROWS_MAX = 10_000;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

let credentials = sessionStorage.getItem("tidemark.credentials");
let askLogin: () => Promise<string> = () => Promise.reject(new Error("no login"));

/** How to ask the user for `name:password`. Called again while they are wrong. */
export function onLogin(ask: () => Promise<string>): void {
  askLogin = ask;
}

async function request(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const headers = new Headers(init.headers);
    // Tells the server not to make the browser open its own dialog.
    headers.set("x-requested-with", "tidemark");
    if (credentials !== null) headers.set("x-greptime-auth", `Basic ${credentials}`);
    const answer = await fetch(url, { ...init, headers });
    if (answer.status !== 401) return answer;
    const pair = new TextEncoder().encode(await askLogin());
    credentials = btoa(String.fromCharCode(...pair));
    sessionStorage.setItem("tidemark.credentials", credentials);
  }
}

async function failure(answer: Response): Promise<ApiError> {
  const text = await answer.text();
  try {
    const body = JSON.parse(text);
    return new ApiError(answer.status, body.error ?? body.message ?? text);
  } catch {
    return new ApiError(answer.status, text || answer.statusText);
  }
}

/** A reviver that keeps integers which a double cannot hold; older browsers do not offer the source and round. */
function exact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return Number.isInteger(value) ? (context?.source ?? value) : value;
}

export async function sql(text: string, db: string, signal?: AbortSignal): Promise<SqlAnswer> {
  const answer = await request(`/v1/sql?${new URLSearchParams({ db, limit: String(ROWS_MAX) })}`, {
    method: "POST",
    body: new URLSearchParams({ sql: text }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!answer.ok) throw await failure(answer);
  const body = JSON.parse(await answer.text(), exact);
  let records: Records | undefined;
  let affected: number | undefined;
  for (const output of body.output)
    if (output.records === undefined) affected = (affected ?? 0) + output.affectedrows;
    else records = { fields: output.records.schema.column_schemas, rows: output.records.rows };
  return { records, affected, elapsedMs: body.execution_time_ms };
}

/** The whole result as CSV. */
export async function csv(text: string, db: string): Promise<Blob> {
  const answer = await request(`/v1/sql?${new URLSearchParams({ db, format: "csvWithNames" })}`, {
    method: "POST",
    body: new URLSearchParams({ sql: text }),
  });
  if (!answer.ok) throw await failure(answer);
  return answer.blob();
}

export async function writeLines(lines: string, db: string, precision: string): Promise<void> {
  const answer = await request(
    `/v1/influxdb/api/v2/write?${new URLSearchParams({ db, precision })}`,
    { method: "POST", body: lines },
  );
  if (!answer.ok) throw await failure(answer);
}

export async function version(): Promise<string> {
  const answer = await request("/status", {});
  return (await answer.json()).version;
}

/** A name as a quoted identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
