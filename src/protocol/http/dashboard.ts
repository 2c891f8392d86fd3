/**
 * The page at `/` and `/dashboard/`: files that the server read at its start, sent as they are. They speak only the public HTTP
 * API, hold no data and no secret, and so are open.
 */
import { createHash } from "node:crypto";
import type { Ctx, Route } from "../../net/mod.ts";

export interface PageFile {
  /** "index.html", "main.js": the name below /dashboard/. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** Nothing but our own files, and no frame around them. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export function dashboardRoutes(files: readonly PageFile[]): Route[] {
  const open = { methods: ["GET"], access: "open" } as const;
  const routes: Route[] = [
    {
      ...open,
      path: "/dashboard",
      handler: (ctx) => ctx.send(308, "", { location: "/dashboard/" }),
    },
  ];
  for (const file of files) {
    const etag = `"${createHash("sha256").update(file.bytes).digest("base64url").slice(0, 22)}"`;
    const handler = (ctx: Ctx) => sendFile(ctx, file, etag);
    const isPage = file.name === "index.html";
    if (isPage) routes.push({ ...open, path: "/", handler });
    routes.push({ ...open, path: `/dashboard/${isPage ? "" : file.name}`, handler });
  }
  return routes;
}

async function sendFile(ctx: Ctx, file: PageFile, etag: string): Promise<void> {
  const headers = { etag, "cache-control": "no-cache" };
  if (ctx.header("if-none-match") === etag) return ctx.send(304, "", headers);
  return ctx.send(200, file.bytes, {
    ...headers,
    "content-type": TYPES[file.name.split(".").at(-1)!] ?? "application/octet-stream",
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
}
