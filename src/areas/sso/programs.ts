import { Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/sso.ts'
import { HostError, linkLife, type ProgramName, programNames } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { serverNames } from '../../runtime/settings/server-names.ts'
import { localNode } from '../../shared/node-name.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { type FullAccount, fullAccount } from '../accounts/store.ts'
import { addressOf } from '../email/address.ts'
import type { OfAccount } from '../files/of-account.ts'
import { hostOf } from '../host/host.ts'
import { reachable } from './reachable.ts'

export const createPhpMyAdminLink: HostHandler<typeof declared.createPhpMyAdminLink> = {
  record(ctx) {
    reachable(ctx.found.account)
    refuseElsewhere(ctx, 'phpmyadmin')
  },
  act: (ctx, _input, signal) => linkInto(ctx, 'phpmyadmin', undefined, signal),
}

export const createWebmailLink: HostHandler<typeof declared.createWebmailLink> = {
  record(ctx) {
    const { account, mailbox } = ctx.found
    reachable(account)
    refuseElsewhere(ctx, 'webmail')
    const address = addressOf(ctx.db, mailbox)
    if (mailbox.status !== 'active') throw new Problem('busy', `${address} is being ${doneTo[mailbox.status]}.`)
    if (mailbox.suspended_login) throw new Problem('suspended', `${address} may not log in.`)
    ctx.note({ object_id: mailbox.id })
  },
  act: (ctx, _input, signal) => linkInto(ctx, 'webmail', addressOf(ctx.db, ctx.found.mailbox), signal),
}

const doneTo = { creating: 'made', deleting: 'deleted' } as const
const called: Readonly<Record<ProgramName, string>> = { phpmyadmin: 'phpMyAdmin', webmail: 'Webmail' }

/** The programs' names point to the control plane's machine, which has nothing of an account elsewhere. */
function refuseElsewhere(ctx: OfAccount, program: ProgramName): void {
  const { username, node } = fullAccount(ctx)
  if (node === localNode) return
  const why = `${called[program]} opens accounts on the panel's own machine alone, and ${username} is on the node ${node}`
  throw new Problem('not-configured', `${why}: ${instead[program]}.`)
}

/** The programs that links of an account cannot open, as far as the host has said. */
export const missingPrograms = ({ runtime }: Context, { node }: FullAccount): readonly ProgramName[] =>
  programNames.filter((name) => node !== localNode || hostOf(runtime).offers(name) !== true)

const instead: Readonly<Record<ProgramName, string>> = {
  phpmyadmin: 'use a database client over SSH to that node',
  webmail: 'use a mail program with that node as its server',
}

/** Has the host create a login for the link. */
async function linkInto(ctx: OfAccount, program: ProgramName, mailbox: string | undefined, signal: AbortSignal) {
  const order = { account: hostNameOf(fullAccount(ctx)), program, ...(mailbox !== undefined && { mailbox }) }
  try {
    const { token } = await hostOf(ctx.runtime).openProgram(order, { signal })
    return {
      url: `https://${serverNames(ctx.db, ctx.runtime.hostname)[program]}/open?token=${token}`,
      expires_in: linkLife / 1000,
    }
  } catch (error) {
    if (!(error instanceof HostError) || error.stage !== 'unsupported') throw error
    throw new Problem('not-configured', `${called[program]} is not set up on this server.`)
  }
}
