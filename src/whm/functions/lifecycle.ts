import { findAccount, findPackage } from '../find.ts'
import { carriedOut, required, type WhmFunction } from '../function.ts'

export const suspendacct: WhmFunction = {
  name: 'suspendacct',
  needs: ['suspendAccount'],
  shape: 'change',
  async run(call) {
    const { id, username } = await findAccount(
      call,
      (user) => `_suspendacct called for a user that does not exist. (${user})`,
    )
    const reason = (call.parameters.filled('reason') ?? 'Unknown').slice(0, 500)
    const { job_id } = await call.session.perform('suspendAccount', { params: { id }, body: { reason } })
    return { statusmsg: `${username}'s account has been suspended`, ...(await carriedOut(call, job_id)) }
  },
}

export const unsuspendacct: WhmFunction = {
  name: 'unsuspendacct',
  needs: ['unsuspendAccount'],
  shape: 'change',
  async run(call) {
    const { id, username } = await findAccount(
      call,
      (user) => `_unsuspendacct called for a user that does not exist. (${user})`,
    )
    const { job_id } = await call.session.perform('unsuspendAccount', { params: { id } })
    return { statusmsg: `${username}'s account is now active`, ...(await carriedOut(call, job_id)) }
  },
}

export const removeacct: WhmFunction = {
  name: 'removeacct',
  needs: ['terminateAccount'],
  shape: 'change',
  async run(call) {
    const { id, username } = await findAccount(call, (user) => `System user ${user} does not exist!`)
    const query = { confirm: username }
    const { job_id } = await call.session.perform('terminateAccount', { params: { id }, query })
    return { statusmsg: `${username} account removed`, ...(await carriedOut(call, job_id)) }
  },
}

export const changepackage: WhmFunction = {
  name: 'changepackage',
  needs: ['changeAccountPackage'],
  shape: 'change',
  async run(call) {
    const { id, username } = await findAccount(call, (user) => `Sorry the user ${user} does not exist`)
    const package_id = await findPackage(call, required(call, 'plan'), 'Specified package does not exist.')
    const { job_id } = await call.session.perform('changeAccountPackage', { params: { id }, body: { package_id } })
    return { statusmsg: `Account Upgrade/Downgrade Complete for ${username}`, ...(await carriedOut(call, job_id)) }
  },
}

export const passwd: WhmFunction = {
  name: 'passwd',
  needs: ['changeAccountPassword'],
  shape: { list: 'passwd' },
  rename: () => ({ services: [{ app: 'system' }] }),
  async run(call) {
    const { id, username } = await findAccount(call, (user) => `Sorry, the user ${user} does not exist.`)
    const body = { new_password: call.parameters.secret('password') ?? '' }
    await call.session.perform('changeAccountPassword', { params: { id }, body })
    return { statusmsg: `Password changed for user ${username}`, data: { app: ['system'] } }
  },
}
