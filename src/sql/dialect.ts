/** The three dialects: they differ in what quotes mean and in backslash escapes. */
export type Dialect = "greptime" | "mysql" | "postgres";
