/**
 * Files as the rest sees them: an ObjectStore for whole immutable objects, a LogFile for appending. Only `disk/`
 * touches node:fs. Names are relative, `/`-separated, without `..`. Every failure is thrown as the system's error (with `code`);
 * callers map ENOSPC and EIO to storage_unavailable.
 */

export interface ObjectInfo {
  readonly name: string;
  readonly bytes: number;
}

/** Local disk now, S3 later. A put is atomic: after a crash the object is whole or absent. */
export interface ObjectStore {
  /** Write, fsync, rename, fsync of the folder. Replaces. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Like put but refuses (DbError internal, code EEXIST as cause) when the object exists. */
  putNew(name: string, bytes: Uint8Array): Promise<void>;
  /** Whole object; throws with code ENOENT. */
  get(name: string): Promise<Uint8Array>;
  /** [offset, offset + length) or less at the end; throws with code ENOENT. */
  getRange(name: string, offset: number, length: number): Promise<Uint8Array>;
  head(name: string): Promise<ObjectInfo | undefined>;
  /** Objects whose name starts with `prefix` (a folder path ending in `/`, or ""), recursively, sorted. Temporaries are not listed. */
  list(prefix: string): Promise<ObjectInfo[]>;
  /** Absent is fine. */
  delete(name: string): Promise<void>;
  deletePrefix(prefix: string): Promise<void>;
  /**
   * A path on the local disk where an engine (DuckDB) may write a new object, and the promise that installs it: fsync, rename, fsync
   * of the folder. `abort` removes it. The faulty store can fail either.
   */
  stage(name: string): Promise<StagedObject>;
  /** A local path from which the engine can read the object. */
  localPath(name: string): string;
  /** Removes temporaries left by a crash. Call once at start, before anything is staged. */
  sweep(): Promise<number>;
}

export interface StagedObject {
  readonly path: string;
  /** Returns the size. */
  commit(): Promise<number>;
  abort(): Promise<void>;
}

/** One append-only file. One append at a time. */
export interface LogFile {
  readonly size: number;
  /** Appends all parts at the end; on failure the file is truncated back to its former size if possible, then throws. */
  append(parts: readonly Uint8Array[]): Promise<void>;
  /** fdatasync. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface LogFolder {
  /** Files by name with sizes, sorted by name. */
  list(): Promise<ObjectInfo[]>;
  /** Creates (and fsyncs the folder) or opens for appending. */
  open(name: string): Promise<LogFile>;
  /** Reads [offset, offset + length) or less at the end. */
  read(name: string, offset: number, length: number): Promise<Uint8Array>;
  /** Durable when it resolves: deletes survive in the order they were made. Absent is fine. */
  delete(name: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}
