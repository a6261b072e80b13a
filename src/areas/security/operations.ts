import type * as declared from '../../contract/security.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { type Found, insecureSites, looseTokens, missingFactors, outdatedPhp, type Scope } from './checks.ts'

const severity = { error: 0, warn: 1 } as const

/** The worst first, then as the checks list them. */
const weakPoints = (ctx: Context, scope: Scope): Found[] =>
  [missingFactors, looseTokens, outdatedPhp, insecureSites]
    .flatMap((check) => check(ctx, scope))
    .sort((one, other) => severity[one.severity] - severity[other.severity])

const checkSecurity: Handler<typeof declared.checkSecurity> = {
  handle: (ctx) => ({ items: weakPoints(ctx, {}) }),
}

const checkSecurityForAccount: Handler<typeof declared.checkSecurityForAccount> = {
  handle: (ctx) => ({ items: weakPoints(ctx, { account: ctx.found.account }) }),
}

export const securityOperations = { checkSecurity, checkSecurityForAccount }
