export type Owner = number | 'root'
export type Group = number | 'root' | 'www-data' | 'dovecot' | 'bind' | 'opendkim'

/** A file's desired state, relative to any root. */
export interface FileSpec {
  /** Relative to the root, separated by `/`. */
  readonly path: string
  readonly content: string
  readonly mode: number
  readonly uid: Owner
  readonly gid: Group
  /** Written when its directory is created, then the customer's. */
  readonly once?: boolean
  /** Written if missing, then left to the daemon that maintains it. */
  readonly seed?: boolean
}

/** A directory's desired state. */
export interface DirSpec {
  readonly path: string
  readonly mode: number
  readonly uid: Owner
  readonly gid: Group
  /** The mode isolates tenants, so it is corrected if it differs. */
  readonly border?: boolean
}

/** One part's files and directories; parents come before their content. */
export interface Rendered {
  readonly dirs: readonly DirSpec[]
  readonly files: readonly FileSpec[]
}

export const nothing: Rendered = { dirs: [], files: [] }

/** A system file, readable by a daemon's group if one is given. */
export function systemFile(path: string, mode: number, lines: readonly string[], gid: Group = 'root'): FileSpec {
  return { path, mode, uid: 'root', gid, content: `${lines.join('\n')}\n` }
}

/** A system directory. */
export function systemDir(path: string, mode: number, gid: Group = 'root'): DirSpec {
  return { path, mode, uid: 'root', gid, border: true }
}

/** A directory in a home: created once, then the customer's. */
export function homeDir({ uid }: { readonly uid: number }, path: string, mode: number): DirSpec {
  return { path, mode, uid, gid: uid }
}

/**
 * The first line of a file named after a domain. A domain may move to another account, and its former owner must not
 * remove the new owner's file.
 */
export function ownerLine(comment: '#' | ';', account: { readonly id: string }): string {
  return `${comment} panel account ${account.id}`
}

/** The account named in the first line, if any. */
export function ownerOf(content: string): string | undefined {
  return /^[#;] panel account ([0-9A-Z]{26})\n/.exec(content)?.[1]
}

/** Lines of a rendered file. */
export type Lines = readonly string[]
