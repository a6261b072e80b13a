import { existsSync, readFileSync } from 'node:fs'

/** The fields of a name's line in /etc/passwd or /etc/group. */
function lineIn(file: string, name: string): string[] | undefined {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.find((one) => one.startsWith(`${name}:`))?.split(':')
}

/** The id of a system group, or undefined if it does not exist. */
export function groupId(name: string, root = '/'): number | undefined {
  const id = lineIn(`${root}etc/group`, name)?.[2]
  return id === undefined ? undefined : Number(id)
}

/** The name that the id of a group has. */
export const groupName = (gid: number, root = '/'): string | undefined =>
  readFileSync(`${root}etc/group`, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, , id]) => id === String(gid))?.[0]

/** The groups that name a user as a member, besides its own. */
export function groupsOf(name: string, file = '/etc/group'): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const groups = lines.map((line) => line.split(':'))
  return groups.flatMap(([group = '', , , members = '']) => (members.split(',').includes(name) ? [group] : []))
}

export interface SystemUser {
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

/** A user of the system, by name. */
export function userNamed(name: string, root = '/'): SystemUser | undefined {
  const [, , uid, gid, , home = '', shell = ''] = lineIn(`${root}etc/passwd`, name) ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid), home, shell }
}

/** All names that a uid has. */
export const namesOf = (uid: number, root = '/'): string[] =>
  readFileSync(`${root}etc/passwd`, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name, , id]) => (name !== undefined && id === String(uid) ? [name] : []))

/** Whether a user has a password of the system's, an empty one too. */
export const hasPassword = (name: string, root = '/'): boolean =>
  /^(?![!*])/.test(lineIn(`${root}etc/shadow`, name)?.[1] ?? '!')

/** The name that a uid has. */
export const userName = (uid: number, root = '/'): string | undefined => namesOf(uid, root)[0]

/** Whether the account of a user has expired: then nothing logs in as it, by key neither. */
export const isExpired = (name: string, root = '/'): boolean => (lineIn(`${root}etc/shadow`, name)?.[7] ?? '') !== ''

/** The ids that a user may give to others of its programs, as /etc/subuid has them: `100000-165535`. */
export const rangesOf = (name: string, file: string): string[] =>
  (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
    .map((line) => line.split(':'))
    .filter(([owner]) => owner === name)
    .map(([, first, count]) => `${first}-${Number(first) + Number(count) - 1}`)
