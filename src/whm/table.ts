import type { WhmFunction } from './function.ts'
import * as accounts from './functions/accounts.ts'
import * as bandwidth from './functions/bandwidth.ts'
import { createacct } from './functions/create.ts'
import * as lifecycle from './functions/lifecycle.ts'
import * as modify from './functions/modify.ts'
import * as packages from './functions/packages.ts'
import * as resellers from './functions/resellers.ts'
import * as server from './functions/server.ts'
import * as session from './functions/session.ts'
import type { Session } from './server.ts'

/** The functions this caller may use; some clients call a function only if it is listed. */
const applist: WhmFunction = {
  name: 'applist',
  needs: [],
  shape: 'bare',
  run: async (call) => ({
    data: { app: [...functions.values()].filter((f) => !denialOf(call.session, f)).map(nameOf) },
  }),
}

const nameOf = ({ name }: WhmFunction): string => name

const { version, get_nameserver_config } = server
const { accountsummary, listaccts, get_domain_info } = accounts
const { showbw } = bandwidth
const { suspendacct, unsuspendacct, removeacct, changepackage, passwd } = lifecycle
const { modifyacct, editquota, limitbw, setsiteip } = modify
const { listpkgs, getpkginfo, addpkg, editpkg, killpkg } = packages
const { create_user_session, verify_new_username } = session

/** Every function of the front, by name. */
export const functions: ReadonlyMap<string, WhmFunction> = new Map(
  [
    version,
    applist,
    createacct,
    suspendacct,
    unsuspendacct,
    removeacct,
    changepackage,
    modifyacct,
    passwd,
    editquota,
    limitbw,
    setsiteip,
    accountsummary,
    listaccts,
    listpkgs,
    getpkginfo,
    addpkg,
    editpkg,
    killpkg,
    verify_new_username,
    create_user_session,
    showbw,
    get_nameserver_config,
    get_domain_info,
    ...Object.values(resellers),
  ].map((f) => [f.name, f]),
)

/** Why the caller may not use a function; undefined if it may call every operation it needs. */
export function denialOf(session: Session, { needs, privilege }: WhmFunction): string | undefined {
  for (const id of needs) {
    const denial = session.denial(id)
    if (denial) return denial
  }
  return privilege && !session.holds(privilege) ? `This needs the privilege ${privilege}.` : undefined
}
