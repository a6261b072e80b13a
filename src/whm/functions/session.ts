import { Failure } from '../failure.ts'
import { findAccount } from '../find.ts'
import { required, type WhmFunction } from '../function.ts'
import { alreadyThere } from './create.ts'
import { pageOf } from './pages.ts'

const panels: Readonly<Record<string, 'user' | 'admin'>> = { cpaneld: 'user', whostmgrd: 'admin' }

/** A one-time link into a panel. It contains no session yet: the path that WHM puts before pages is a dummy. */
export const create_user_session: WhmFunction = {
  name: 'create_user_session',
  needs: ['createAccountSso'],
  shape: 'read',
  async run(call) {
    const service = call.parameters.filled('service') ?? 'cpaneld'
    const panel = Object.hasOwn(panels, service) ? panels[service]! : undefined
    if (!panel) throw new Failure(`The service “${service}” is not available here.`)
    const { id, username } = await findAccount(call, (user) => `Sorry, the user ${user} does not exist.`)
    const app = panel === 'user' ? call.parameters.filled('app') : undefined
    const body = { panel, ...(app !== undefined && { goto: pageOf(app) }) }
    const { url, expires_in } = await call.session.perform('createAccountSso', { params: { id }, body })
    const expires = Math.floor(call.session.now / 1000) + expires_in
    const data = { cp_security_token: '/cpsess0000000000', expires, service, session: `${username}:once`, url }
    return { reason: 'Created session', data }
  },
}

export const verify_new_username: WhmFunction = {
  name: 'verify_new_username',
  needs: ['checkAccount'],
  shape: 'read',
  async run(call) {
    const username = required(call, 'user')
    const { username: answer } = await call.session.perform('checkAccount', { query: { username } })
    if (answer?.available) return {}
    const reason = answer?.reason ?? 'is not available'
    throw new Failure(reason.startsWith('is taken') ? alreadyThere(username) : `“${username}” ${reason}.`)
  },
}
