/** Auth: who may do what. */
export type { User, UserProvider } from "./api.ts";
export {
  openUserProvider,
  type ProviderSpec,
  parseProviderSpec,
  type TextFile,
} from "./provider.ts";
export { formatVerifier, HASH_FORMATS, type HashFormat, hashPassword } from "./verifier.ts";
