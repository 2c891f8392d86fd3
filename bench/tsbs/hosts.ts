/** The 10 tags of a TSBS devops host and how they are drawn. */
import type { Prng } from "./prng.ts";

/** Region → last letters of its datacenters. */
const REGIONS: readonly (readonly [string, string])[] = [
  ["us-east-1", "abce"],
  ["us-west-1", "ab"],
  ["us-west-2", "abc"],
  ["eu-west-1", "abc"],
  ["eu-central-1", "ab"],
  ["ap-southeast-1", "ab"],
  ["ap-southeast-2", "ab"],
  ["ap-northeast-1", "ac"],
  ["sa-east-1", "abc"],
];
const OPERATING_SYSTEMS = ["Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10"] as const;
const ARCHITECTURES = ["x64", "x86"] as const;
const TEAMS = ["SF", "NYC", "LON", "CHI"] as const;
const ENVIRONMENTS = ["production", "staging", "test"] as const;
const RACKS = 100;
const SERVICES = 20;
const SERVICE_VERSIONS = 2;

/** Tag name and value, in the order they stand in the line. */
export type HostTags = readonly (readonly [name: string, value: string])[];

/** The tags of host number `index`. Takes nine draws from `random`. */
export function drawHostTags(random: Prng, index: number): HostTags {
  const [region, letters] = random.pick(REGIONS);
  const datacenter = region + random.pick([...letters]);
  const rack = random.below(RACKS);
  const arch = random.pick(ARCHITECTURES);
  const os = random.pick(OPERATING_SYSTEMS);
  const service = random.below(SERVICES);
  const version = random.below(SERVICE_VERSIONS);
  const environment = random.pick(ENVIRONMENTS);
  const team = random.pick(TEAMS);
  return [
    ["hostname", `host_${index}`],
    ["region", region],
    ["datacenter", datacenter],
    ["rack", String(rack)],
    ["os", os],
    ["arch", arch],
    ["team", team],
    ["service", String(service)],
    ["service_version", String(version)],
    ["service_environment", environment],
  ];
}
