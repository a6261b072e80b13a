import type { Machine } from '../machine.ts'
import type { Owners } from '../owners.ts'
import { checksOf } from './checks.ts'
import { type Run, run as runForReal } from './commands.ts'
import { Daemons } from './daemons.ts'
import { homeWork, workAs } from './home.ts'
import { groupId, userName } from './names.ts'
import { type Suite, suiteOf } from './suite.ts'
import { deleteUser, syncUser } from './users.ts'

/** A daemon whose package is not installed has no group; what is for it is then root's alone. */
const owners: Owners = ({ uid, gid }) => ({
  uid: uid === 'root' ? 0 : uid,
  gid: typeof gid === 'number' ? gid : gid === 'root' ? 0 : (groupId(gid) ?? 0),
})

/** This machine, as a Debian host. */
export function debianMachine(suite: Suite = suiteOf(), run: Run = runForReal): Machine {
  const daemons = new Daemons(run)
  return {
    owners,
    checks: checksOf(run, suite),
    makeUser: async (account) => {
      const former = userName(account.uid)
      if (former !== undefined && former !== account.username) await daemons.stop({ ...account, username: former })
      await syncUser(run, account)
    },
    fillHome: async ({ username, uid }, plan) => {
      const work = homeWork(username, plan)
      if (work) await workAs(uid, work)
    },
    settle: (account, plans) => daemons.settle(account, plans),
    stop: (account) => daemons.stop(account),
    forget: async (account, plan) => {
      await daemons.settle(account, [plan])
      await deleteUser(run, account)
    },
  }
}
