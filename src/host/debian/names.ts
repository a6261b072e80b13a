import { readFileSync } from 'node:fs'

/** The fields of a name's line in /etc/passwd or /etc/group. */
function lineIn(file: string, name: string): string[] | undefined {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.find((one) => one.startsWith(`${name}:`))?.split(':')
}

/** The id of a system group, or undefined if it does not exist. */
export function groupId(name: string): number | undefined {
  const id = lineIn('/etc/group', name)?.[2]
  return id === undefined ? undefined : Number(id)
}

/** The groups that name a user as a member, besides its own. */
export function groupsOf(name: string, file = '/etc/group'): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const groups = lines.map((line) => line.split(':'))
  return groups.flatMap(([group = '', , , members = '']) => (members.split(',').includes(name) ? [group] : []))
}

export interface SystemUser {
  readonly uid: number
  readonly shell: string
}

/** A user of the system, by name. */
export function userNamed(name: string): SystemUser | undefined {
  const line = lineIn('/etc/passwd', name)
  return line && { uid: Number(line[2]), shell: line[6] ?? '' }
}

/** The name that a uid has. */
export function userName(uid: number): string | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.map((line) => line.split(':')).find((fields) => Number(fields[2]) === uid && fields.length > 2)?.[0]
}

/** Whether the account of a user has expired: then nothing logs in as it, by key neither. */
export const isExpired = (name: string): boolean => (lineIn('/etc/shadow', name)?.[7] ?? '') !== ''
