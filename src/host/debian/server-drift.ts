import { existsSync } from 'node:fs'
import type { Difference } from '../contract/driver.ts'
import { setupDifferences } from '../setup/drift.ts'
import type { Run } from './commands.ts'
import { errorAt } from './error.ts'
import { foreignFileDifferences } from './foreign-files.ts'
import { foreignNameDifferences } from './foreign-names.ts'
import { foreignSiteDifferences } from './foreign-sites.ts'
import type { Ftp } from './ftp/ftp.ts'
import type { Mail } from './mail/mail.ts'
import { guardTable, smtpGuard } from './mail/places.ts'

const nft = '/usr/sbin/nft'

export interface ServerParts {
  readonly run: Run
  readonly mail: Mail
  readonly ftp: Ftp
}

/** How the server's own state differs from what it should be, besides the files derived from the store. */
export async function serverDifferences({ run, mail, ftp }: ServerParts): Promise<Difference[]> {
  return [
    ...foreignSiteDifferences(),
    ...foreignFileDifferences(),
    ...foreignNameDifferences(),
    ...mail.serverDifferences(),
    ...ftp.serverDifferences(),
    ...(await guardDifferences(run).catch(errorAt('nftables'))),
    ...(await setupDifferences((program, words) => run(program, words)).catch(errorAt('setup'))),
  ]
}

/** Repairs what does not need `panel host setup`; returns the files that daemons must read. */
export async function repairServer({ run, mail, ftp }: ServerParts): Promise<string[]> {
  if ((await guardDifferences(run)).length > 0) await run(nft, ['-f', smtpGuard])
  return [...mail.pathsOfStale(), ...ftp.changed([], true)]
}

async function guardDifferences(run: Run): Promise<Difference[]> {
  if (!existsSync(smtpGuard) || !existsSync(nft)) return []
  const tables = await run(nft, ['list', 'tables', 'inet'])
  if (tables.split('\n').includes(`table inet ${guardTable}`)) return []
  return [
    {
      path: `nftables:${guardTable}`,
      change: 'missing',
      note: 'programs of accounts reach port 25 of mail servers, past the count of what they send',
    },
  ]
}
