import type * as declared from '../../contract/ftp.ts'
import { Problem, refuseInvalid } from '../../contract/problem.ts'
import { servicePorts } from '../../contract/service-ports.ts'
import { turnOfCaller } from '../../runtime/jobs/shares.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { cryptPassword, passwordError } from '../../runtime/security/crypt.ts'
import { refuseOneMore } from '../accounts/limits/usage-limits.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { deletionJob, refuseDeleting } from '../accounts/operations/deleting.ts'
import { refuseBeingDeleted } from '../domains/busy.ts'
import { type OwnAddress, ownAddress } from '../email/address.ts'
import { sessionsOf } from './sessions.ts'
import { ftpAccountAt, ftpAccountById, ftpAccountsOf, loginOf, setFtpAccount, toFtpAccount } from './store.ts'
import { type FtpRow, ftpAccounts } from './tables.ts'

type FtpAccountContext = Context & { readonly found: { readonly account: FoundAccount; readonly ftp_account: FtpRow } }

const getFtpServer: Handler<typeof declared.getFtpServer> = {
  // No driver runs an FTP server yet, which would enforce the quota.
  handle: ({ runtime }) => ({
    host: runtime.hostname,
    ftp_port: servicePorts.ftp,
    sftp_port: 2222,
    quota_enforced: false,
  }),
}

const listFtpAccounts: Handler<typeof declared.listFtpAccounts> = {
  handle(ctx, { query }) {
    const { items, total } = ftpAccountsOf.page(ctx, ctx.found.account.id, query)
    return { items: items.map((row) => toFtpAccount(ctx, row)), total }
  },
}

const getFtpAccount: Handler<typeof declared.getFtpAccount> = {
  handle: (ctx) => toFtpAccount(ctx, ctx.found.ftp_account),
}

/** The domain and name of a new login; 400 with all errors. */
function loginFor(ctx: Context, account: string, login: string, password: string): OwnAddress {
  const own = ownAddress(ctx, account, login)
  refuseInvalid({
    login: typeof own === 'string' ? own : undefined,
    password: passwordError(password, login, login.slice(0, login.lastIndexOf('@'))),
  })
  return own as OwnAddress
}

/** Creates the FTP account's row; its job applies it to the host. */
const createFtpAccount: Handler<typeof declared.createFtpAccount, string> = {
  prepare: (ctx, { body }) => cryptPassword(body.password, turnOfCaller(ctx)),
  handle(ctx, { body }, hash) {
    const { account } = ctx.found
    const { domain, local } = loginFor(ctx, account.id, body.login, body.password)
    const login = `${local}@${domain.name}`
    refuseBeingDeleted(domain)
    if (ftpAccountAt(ctx.db, { domain_id: domain.id, local }))
      throw new Problem('exists', `${login} is an FTP account already.`, { login: 'is an FTP account already' })
    refuseOneMore(ctx, 'ftp_accounts', account.id)
    const row: FtpRow = {
      id: ctx.id(),
      account_id: account.id,
      domain_id: domain.id,
      local,
      directory: body.directory ?? `sites/${domain.name}/public`,
      quota_mb: body.quota_mb ?? null,
      hash,
      password_changed_at: ctx.now,
      status: 'creating',
      created_at: ctx.now,
    }
    ctx.db.insert(ftpAccounts).values(row).run()
    ctx.emit({ type: 'ftp.account.created', account, object_id: row.id, details: { login } })
    ctx.note({ account, object_id: row.id, after: { login, directory: row.directory, quota_mb: row.quota_mb } })
    const job_id = ctx.enqueue({ kind: 'ftp.account.create', account, object_id: row.id })
    return { ftp_account: toFtpAccount(ctx, row), job_id }
  },
}

/** The FTP account as it is now, and the job that applies it. */
function accepted(ctx: FtpAccountContext, kind: 'update' | 'password') {
  const { account, ftp_account } = ctx.found
  const job_id = ctx.enqueue({ kind: `ftp.account.${kind}`, account, object_id: ftp_account.id })
  return { ftp_account: toFtpAccount(ctx, ftpAccountById(ctx.db, ftp_account.id)!), job_id }
}

const updateFtpAccount: Handler<typeof declared.updateFtpAccount> = {
  handle(ctx, { body }) {
    const { account, ftp_account } = ctx.found
    const { directory, quota_mb } = ftp_account
    const login = loginOf(ctx.db, ftp_account)
    refuseDeleting(login, ftp_account)
    setFtpAccount(ctx, ftp_account.id, body)
    ctx.note({
      account,
      object_id: ftp_account.id,
      before: { login, directory, quota_mb },
      after: { login, ...body },
    })
    return accepted(ctx, 'update')
  },
}

const changeFtpPassword: Handler<typeof declared.changeFtpPassword, string> = {
  prepare: (ctx, { body }) => cryptPassword(body.new_password, turnOfCaller(ctx)),
  handle(ctx, { body }, hash) {
    const { account, ftp_account } = ctx.found
    const login = loginOf(ctx.db, ftp_account)
    refuseInvalid({ new_password: passwordError(body.new_password, ftp_account.local, login) })
    refuseDeleting(login, ftp_account)
    setFtpAccount(ctx, ftp_account.id, { hash, password_changed_at: ctx.now })
    ctx.note({ account, object_id: ftp_account.id, after: { login } })
    return accepted(ctx, 'password')
  },
}

/** Removes the FTP account from the host; then the row is deleted and its login is free. Its files stay. */
const deleteFtpAccount: Handler<typeof declared.deleteFtpAccount> = {
  handle(ctx) {
    const { account, ftp_account } = ctx.found
    const { id, status } = ftp_account
    const login = loginOf(ctx.db, ftp_account)
    ctx.note({ account, object_id: id, before: { login } })
    if (status !== 'deleting') {
      setFtpAccount(ctx, id, { status: 'deleting' })
      ctx.emit({ type: 'ftp.account.deleted', account, object_id: id, details: { login } })
    }
    const job_id = deletionJob(ctx, account, 'ftp.account.delete', id)
    return { ftp_account: toFtpAccount(ctx, ftpAccountById(ctx.db, id)!), job_id }
  },
}

const listFtpSessions: Handler<typeof declared.listFtpSessions> = {
  handle: (ctx) => ({ items: sessionsOf(ctx, ctx.found.account.id) }),
}

export const ftpOperations = {
  getFtpServer,
  listFtpAccounts,
  createFtpAccount,
  getFtpAccount,
  updateFtpAccount,
  changeFtpPassword,
  deleteFtpAccount,
  listFtpSessions,
}
