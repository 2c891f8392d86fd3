/** Users and permissions. One question: may this login do that? */
import type { Permission } from "../query/api.ts";

export interface User {
  readonly name: string;
  readonly permission: Permission;
}

export interface UserProvider {
  /** Throws user_not_found / password_mismatch. Constant time in the password. */
  authenticate(name: string, password: string): Promise<User>;
  close(): void;
}
