import { existsSync, readFileSync } from 'node:fs'

/** A name's fields in /etc/passwd or /etc/group. */
function lineIn(file: string, name: string): string[] | undefined {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.find((one) => one.startsWith(`${name}:`))?.split(':')
}

/** The id of a system group, or undefined if it does not exist. */
export function groupId(name: string, root = '/'): number | undefined {
  const id = lineIn(`${root}etc/group`, name)?.[2]
  return id === undefined ? undefined : Number(id)
}

export const groupName = (gid: number, root = '/'): string | undefined =>
  readFileSync(`${root}etc/group`, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, , id]) => id === String(gid))?.[0]

/** The groups that list a user as a member, besides its primary one. */
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

/** A system user, by name. */
export function userNamed(name: string, root = '/'): SystemUser | undefined {
  const [, , uid, gid, , home = '', shell = ''] = lineIn(`${root}etc/passwd`, name) ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid), home, shell }
}

/** All names of a uid. */
export const namesOf = (uid: number, root = '/'): string[] =>
  readFileSync(`${root}etc/passwd`, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name, , id]) => (name !== undefined && id === String(uid) ? [name] : []))

/** Whether a user has a system password, even an empty one. */
export const hasPassword = (name: string, root = '/'): boolean =>
  /^(?![!*])/.test(lineIn(`${root}etc/shadow`, name)?.[1] ?? '!')

/** A uid's first name. */
export const userName = (uid: number, root = '/'): string | undefined => namesOf(uid, root)[0]

/** Whether a user's account has expired: then nothing can log in as it, not even by key. */
export const isExpired = (name: string, root = '/'): boolean => (lineIn(`${root}etc/shadow`, name)?.[7] ?? '') !== ''

/** The subordinate ids that a user may use, from /etc/subuid: `100000-165535`. */
export const rangesOf = (name: string, file: string): string[] =>
  (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
    .map((line) => line.split(':'))
    .filter(([owner]) => owner === name)
    .map(([, first, count]) => `${first}-${Number(first) + Number(count) - 1}`)
