import { readFileSync } from 'node:fs'

/** The id in a line of /etc/passwd or /etc/group. */
function idIn(file: string, name: string): number | undefined {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  const id = Number(line?.split(':')[2])
  return line && Number.isSafeInteger(id) ? id : undefined
}

/** The id of a group of the system; nothing where there is no such group. */
export const groupId = (name: string): number | undefined => idIn('/etc/group', name)
