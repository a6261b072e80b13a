import type { AccountName, AccountState, Difference } from '../contract/driver.ts'
import { HostError } from '../contract/error.ts'
import type { Run } from './commands.ts'
import {
  groupId,
  groupName,
  groupsOf,
  hasPassword,
  isExpired,
  namesOf,
  rangesOf,
  userName,
  userNamed,
} from './names.ts'

/** Its members can log in only with the keys that panel manages. */
export const sshGroup = 'panel-ssh'

const tools = {
  add: '/usr/sbin/useradd',
  change: '/usr/sbin/usermod',
  delete: '/usr/sbin/userdel',
  addGroup: '/usr/sbin/groupadd',
  changeGroup: '/usr/sbin/groupmod',
  deleteGroup: '/usr/sbin/groupdel',
}

/** Makes an account's system user match it: its name, groups, shell, and whether login is allowed. */
export async function syncUser(run: Run, account: AccountState, root = '/'): Promise<void> {
  const { username, uid } = account
  await rename(run, account, root)
  const found = userNamed(username, root)
  if (found && found.uid !== uid)
    throw new HostError('stage', `The system already has a user ${username}, uid ${found.uid}.`)
  if (found) await nameGroup(run, account, root)
  else await add(run, account, root)
  for (const { usermodArgs } of differencesOf(account, root))
    await run(tools.change, [...usermodArgs, username], { fine: [inUse] })
}

/** A running user's home cannot be changed: it stays a difference until nothing runs. */
const inUse = 8

/**
 * The system's tools write users before groups: a crash in between leaves a user whose group is missing or has the old
 * name.
 */
async function nameGroup(run: Run, { username, uid }: AccountName, root: string): Promise<void> {
  if (groupId(username, root) !== undefined) return
  const former = groupName(uid, root)
  if (former === undefined) await run(tools.addGroup, ['-g', String(uid), username])
  else await run(tools.changeGroup, ['-n', username, former])
}

async function add(run: Run, { username, uid, shell }: AccountState, root: string): Promise<void> {
  const groups = groupId(sshGroup, root) === undefined ? [] : ['-G', sshGroup]
  const words = ['-u', String(uid), '-U', ...groups, '-M', '-d', `/home/${username}`, '-s', shell]
  await run(tools.add, [...noSubordinates, ...words, username])
}

/** Under subordinate ids its programs would escape quotas, and rules for its own uid. */
const noSubordinates = ['-K', 'SUB_UID_COUNT=0', '-K', 'SUB_GID_COUNT=0']

const [users, passwords, groups] = ['/etc/passwd', '/etc/shadow', '/etc/group'] as const

/** How a system user differs from its account, or has more rights. */
export function userDifferences(account: AccountState, root = '/'): Difference[] {
  const { username, uid } = account
  const found = userNamed(username, root)
  if (!found) return [{ path: users, change: 'missing', note: `there is no user ${username}` }]
  if (found.uid !== uid)
    return [{ path: users, change: 'fault', note: `${username} has the uid ${found.uid}, should be ${uid}` }]
  return [
    ...differencesOf(account, root).map(({ usermodArgs: _, ...difference }) => difference),
    ...ownGroup(account, root),
    ...namesakes(account, root),
  ]
}

const ownGroup = ({ username }: AccountName, root: string): Difference[] =>
  groupId(username, root) === undefined
    ? [{ path: groups, change: 'missing', note: `there is no group ${username}` }]
    : []

interface UserDifference extends Difference {
  /** usermod's arguments, besides the name. */
  readonly usermodArgs: readonly string[]
}

const differencesOf = (account: AccountState, root = '/'): UserDifference[] => [
  ...differencesOfLine(account, root),
  ...differencesOfLogin(account, root),
  ...differencesOfGroups(account, root),
  ...subordinates.flatMap(({ path, option }) =>
    rangesOf(account.username, `${root}${path}`).map((range) => ({
      path: `/${path}`,
      change: 'surplus' as const,
      note: `${account.username} has the ids ${range}`,
      usermodArgs: [option, range],
    })),
  ),
]

const subordinates = [
  { path: 'etc/subuid', option: '--del-subuids' },
  { path: 'etc/subgid', option: '--del-subgids' },
] as const

function differencesOfLine({ username, uid, shell }: AccountState, root: string): UserDifference[] {
  const found = userNamed(username, root)!
  const home = `/home/${username}`
  const fields = [
    { what: 'home', is: found.home, desired: home, option: '-d' },
    { what: 'shell', is: found.shell, desired: shell, option: '-s' },
    { what: 'group', is: String(found.gid), desired: String(uid), option: '-g' },
  ]
  return fields
    .filter(({ is, desired: request }) => is !== request)
    .map(({ what, is, desired: request, option }) => ({
      path: users,
      change: 'changed',
      note: `${username} has the ${what} ${is}, should be ${request}`,
      usermodArgs: [option, request],
    }))
}

function differencesOfLogin({ username, suspended }: AccountState, root: string): UserDifference[] {
  const differences: UserDifference[] = []
  const error = (note: string, ...usermodArgs: string[]) =>
    differences.push({ path: passwords, change: 'changed', note, usermodArgs })
  if (isExpired(username, root) !== suspended)
    error(
      suspended ? `${username} is suspended and has not expired` : `${username} has expired`,
      '-e',
      suspended ? '1' : '',
    )
  if (hasPassword(username, root)) error(`${username} has a password of the system's`, '-L')
  return differences
}

/** Groups that add privileges, and the one that removes them. */
function differencesOfGroups({ username }: AccountState, root: string): UserDifference[] {
  const request = groupId(sshGroup, root) === undefined ? [] : [sshGroup]
  const found = groupsOf(username, `${root}etc/group`)
  const usermodArgs = ['-G', request.join()]
  const error = (change: Difference['change'], note: string): UserDifference => ({
    path: groups,
    change,
    note,
    usermodArgs,
  })
  return [
    ...found
      .filter((group) => !request.includes(group))
      .map((group) => error('surplus', `${username} is in the group ${group}`)),
    ...request
      .filter((group) => !found.includes(group))
      .map((group) => error('missing', `${username} is not in the group ${group}`)),
  ]
}

/** Other names for the same uid, which share its rights but none of its login restrictions. */
const namesakes = ({ username, uid }: AccountState, root: string): Difference[] =>
  namesOf(uid, root)
    .filter((name) => name !== username)
    .map((name) => ({
      path: users,
      change: 'surplus',
      note: `${name} has the uid of ${username}: take one away by hand`,
    }))

async function rename(run: Run, { username, uid }: AccountName, root: string): Promise<void> {
  const former = userName(uid, root)
  if (former === undefined || former === username) return
  await run(tools.change, ['-l', username, '-d', `/home/${username}`, former])
}

/** Deletes the user, if it is the account's, and a group that a crashed deletion left. */
export async function deleteUser(run: Run, { uid, username }: AccountName, root = '/'): Promise<void> {
  const name = userName(uid, root)
  if (name !== undefined) await run(tools.delete, [name], { stage: 'remove' })
  const group = name ?? username
  if (groupId(group, root) === uid) await run(tools.deleteGroup, [group], { stage: 'remove' })
}
