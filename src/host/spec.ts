export type Owner = number | 'root'
export type Group = number | 'root' | 'www-data' | 'dovecot' | 'bind' | 'opendkim'

/** A file as it should be, wherever the root of the file system is. */
export interface FileSpec {
  /** Relative to the root, with `/` between the parts. */
  readonly path: string
  readonly content: string
  readonly mode: number
  readonly uid: Owner
  readonly gid: Group
  /** Written together with the directory that holds it, then the customer's. */
  readonly once?: boolean
  /** Written where there is none, then left to the daemon that keeps it. */
  readonly seed?: boolean
}

/** A directory as it should be. */
export interface DirSpec {
  readonly path: string
  readonly mode: number
  readonly uid: Owner
  readonly gid: Group
  /** The mode is a border between tenants, so it is set again when it differs. */
  readonly border?: boolean
}

/** What one part wants of the file system; directories stand before what is inside them. */
export interface Rendered {
  readonly dirs: readonly DirSpec[]
  readonly files: readonly FileSpec[]
}

export const nothing: Rendered = { dirs: [], files: [] }

/** A file of the system's, readable by a daemon's group where one is named. */
export function systemFile(path: string, mode: number, lines: readonly string[], gid: Group = 'root'): FileSpec {
  return { path, mode, uid: 'root', gid, content: `${lines.join('\n')}\n` }
}

/** A directory of the system's. */
export function systemDir(path: string, mode: number, gid: Group = 'root'): DirSpec {
  return { path, mode, uid: 'root', gid, border: true }
}

/** A directory in a home: made once, then the customer's. */
export function homeDir({ uid }: { readonly uid: number }, path: string, mode: number): DirSpec {
  return { path, mode, uid, gid: uid }
}

/**
 * The first line of a file that is named after a domain. A domain may move to another account,
 * and its former owner must not remove the new owner's file.
 */
export function ownerLine(comment: '#' | ';', account: { readonly id: string }): string {
  return `${comment} panel account ${account.id}`
}

/** The account named in the first line, if one is. */
export function ownerOf(content: string): string | undefined {
  return /^[#;] panel account ([0-9A-Z]{26})\n/.exec(content)?.[1]
}
