/** What a start prints for the person in front of it: three commands that work as they stand. */
import type { Config } from "./settings.ts";

export function banner(url: string, config: Config): string {
  const auth = config.user_provider === undefined ? "" : " -u USER:PASSWORD";
  // A certificate of one's own is not known to curl.
  const curl = `curl${url.startsWith("https:") ? " -k" : ""}${auth}`;
  const writing = config["influxdb.enable"]
    ? `  write a row    ${curl} '${url}/v1/influxdb/api/v2/write?db=public&precision=ms' --data-binary $'cpu,host=a usage=1.5 1700000000000'\n`
    : `  write a row    ${curl} '${url}/v1/sql?db=public' --data-urlencode "sql=CREATE TABLE IF NOT EXISTS cpu (host STRING, ts TIMESTAMP(3) TIME INDEX, busy DOUBLE, PRIMARY KEY (host)); INSERT INTO cpu VALUES ('a', 1700000000000, 1.5)"\n`;
  return `
Tidemark is ready at ${url}

${writing}  query it       ${curl} '${url}/v1/sql?db=public' --data-urlencode 'sql=SELECT * FROM cpu'
  open the page  ${url}/dashboard/

`;
}

/** An address that a client on this machine can use: "every interface" is not one. */
export function clientUrl(scheme: "http" | "https", host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
