import type { AccountName, AccountState, Difference } from '../driver.ts'
import { HostError } from '../error.ts'
import type { Run } from './commands.ts'
import { groupId, groupsOf, isExpired, userName, userNamed } from './names.ts'

/** Its members log in by the keys that panel knows alone. */
export const sshGroup = 'panel-ssh'

const tools = {
  add: '/usr/sbin/useradd',
  change: '/usr/sbin/usermod',
  delete: '/usr/sbin/userdel',
  group: '/usr/sbin/groupmod',
}

/** Makes the system user of an account match it: its name, its shell, and whether anybody may log in as it. */
export async function syncUser(run: Run, account: AccountState): Promise<void> {
  const { username, uid, shell, suspended } = account
  await rename(run, account)
  const found = userNamed(username)
  if (found && found.uid !== uid)
    throw new HostError('stage', `The system already has a user ${username}, uid ${found.uid}.`)
  const group = groupId(sshGroup) === undefined ? [] : ['-G', sshGroup]
  const home = `/home/${username}`
  if (!found) await run(tools.add, ['-u', String(uid), '-U', ...group, '-M', '-d', home, '-s', shell, username])
  else if (found.shell !== shell) await run(tools.change, ['-s', shell, username])
  if (found && groupsOf(username).join() !== group.slice(1).join())
    await run(tools.change, ['-G', group.slice(1).join(), username])
  if (isExpired(username) !== suspended) await run(tools.change, ['-e', suspended ? '1' : '', username])
}

/** Groups that give an account more than it has by itself. */
export function groupDifferences({ username }: AccountName): Difference[] {
  const foreign = groupsOf(username).filter((group) => group !== sshGroup)
  return foreign.map((group) => ({
    path: '/etc/group',
    change: 'surplus',
    note: `${username} is in the group ${group}`,
  }))
}

async function rename(run: Run, { username, uid }: AccountName): Promise<void> {
  const former = userName(uid)
  if (former === undefined || former === username) return
  await run(tools.change, ['-l', username, '-d', `/home/${username}`, former])
  await run(tools.group, ['-n', username, former])
}

/** Takes the user away, if it is the account's. */
export async function deleteUser(run: Run, { uid }: AccountName): Promise<void> {
  const name = userName(uid)
  if (name !== undefined) await run(tools.delete, [name], { stage: 'remove' })
}
