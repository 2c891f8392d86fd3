/**
 * Method and path → route. Literal segments beat `:name`, which beats a final `*`. Built once, never changed.
 */
import { assert } from "../base/mod.ts";
import type { Method, Route } from "./api.ts";

export type Match =
  | { readonly kind: "route"; readonly route: Route; readonly params: Record<string, string> }
  | { readonly kind: "wrong_method"; readonly allow: readonly string[] }
  | { readonly kind: "none" };

interface Node {
  readonly literal: Map<string, Node>;
  param?: Node;
  rest?: Map<string, Route>;
  routes?: Map<string, Route>;
}

interface Found {
  readonly routes: Map<string, Route>;
  readonly values: readonly string[];
}

export class Router {
  readonly #root: Node = { literal: new Map() };

  /** Throws Bug when two routes claim the same method and path. */
  constructor(routes: readonly Route[]) {
    for (const route of routes) for (const method of route.methods) this.#add(method, route);
  }

  #add(method: Method, route: Route): void {
    assert(route.path.startsWith("/"), `route path ${route.path} is absolute`);
    let node = this.#root;
    const segments = route.path.slice(1).split("/");
    for (const [i, segment] of segments.entries()) {
      if (segment === "*") {
        assert(i === segments.length - 1, `* is the last segment of ${route.path}`);
        node.rest ??= new Map();
        assert(!node.rest.has(method), `one route for ${method} ${route.path}`);
        node.rest.set(method, route);
        return;
      }
      if (segment.startsWith(":")) {
        node.param ??= { literal: new Map() };
        node = node.param;
      } else {
        const next = node.literal.get(segment) ?? { literal: new Map() };
        node.literal.set(segment, next);
        node = next;
      }
    }
    node.routes ??= new Map();
    assert(!node.routes.has(method), `one route for ${method} ${route.path}`);
    node.routes.set(method, route);
  }

  /** `path` is without query, percent-encoded; a segment with a broken escape matches nothing. */
  match(method: string, path: string): Match {
    if (!path.startsWith("/")) return { kind: "none" };
    const segments: string[] = [];
    for (const part of path.slice(1).split("/")) {
      const decoded = decodeSegment(part);
      if (decoded === undefined) return { kind: "none" };
      segments.push(decoded);
    }
    const found = find(this.#root, segments, 0, []);
    if (found === undefined) return { kind: "none" };
    const route =
      found.routes.get(method) ?? (method === "HEAD" ? found.routes.get("GET") : undefined);
    if (route === undefined) return { kind: "wrong_method", allow: allowed(found.routes) };
    return { kind: "route", route, params: paramsOf(route, found.values) };
  }
}

function decodeSegment(part: string): string | undefined {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function find(
  node: Node,
  segments: readonly string[],
  at: number,
  values: readonly string[],
): Found | undefined {
  if (at === segments.length)
    return node.routes === undefined ? undefined : { routes: node.routes, values };
  const segment = segments[at]!;
  const literal = node.literal.get(segment);
  if (literal !== undefined) {
    const found = find(literal, segments, at + 1, values);
    if (found !== undefined) return found;
  }
  if (node.param !== undefined && segment !== "") {
    const found = find(node.param, segments, at + 1, [...values, segment]);
    if (found !== undefined) return found;
  }
  if (node.rest === undefined) return undefined;
  return { routes: node.rest, values: [...values, segments.slice(at).join("/")] };
}

function paramsOf(route: Route, values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  let next = 0;
  for (const segment of route.path.slice(1).split("/"))
    if (segment === "*" || segment.startsWith(":"))
      params[segment === "*" ? "*" : segment.slice(1)] = values[next++] ?? "";
  return params;
}

function allowed(routes: Map<string, Route>): string[] {
  const methods = new Set(routes.keys());
  if (methods.has("GET")) methods.add("HEAD");
  methods.add("OPTIONS");
  return [...methods].sort();
}
