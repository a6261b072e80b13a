import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { screens as declared } from '../../src/areas/index.ts'
import { sideOf } from '../../src/web/kit/page-scope.ts'
import { accountObjects, serverObjects } from '../fixtures/index.ts'
import type { TestPanel } from '../harness.ts'
import { indexedBackup } from './map.ts'
import { password, Visitor } from './visitor.ts'

/** Values for the parts of an address; the ids of existing objects. */
const words: Readonly<Record<string, string>> = {
  domain: '/accounts/{id}/domains/{did}',
  redirect: '/accounts/{id}/domains/{did}/redirects/{rid}',
  exception: '/accounts/{id}/domains/{did}/waf/exceptions/{xid}',
  zone: '/accounts/{id}/dns/zones/{zid}',
  record: '/accounts/{id}/dns/zones/{zid}/records/{rid}',
  mailbox: '/accounts/{id}/email/accounts/{mid}',
  forwarder: '/accounts/{id}/email/forwarders/{fid}',
  database: '/accounts/{id}/mysql/databases/{dbid}',
  database_user: '/accounts/{id}/mysql/users/{duid}',
  certificate: '/accounts/{id}/ssl/certificates/{cid}',
  csr: '/accounts/{id}/ssl/csrs/{rid}',
  app: '/accounts/{id}/apps/{aid}',
  release: '/accounts/{id}/apps/{aid}/releases/{rid}',
  backup: '/accounts/{id}/backups/{bid}',
  cron_job: '/accounts/{id}/cron/jobs/{cid}',
  run: '/accounts/{id}/cron/jobs/{cid}/runs/{rid}',
  ftp_account: '/accounts/{id}/ftp/accounts/{fid}',
  wordpress_site: '/accounts/{id}/wordpress/{wid}',
  item: '/accounts/{id}/trash/{xid}',
  destination: '/backup-destinations/{did}',
}

export interface Page {
  readonly who: Visitor
  readonly address: string
}

/** An address of every page that areas declare, of an account with one of everything, and who may see it. */
export async function everyPage(panel: TestPanel, account: string, visitor: Visitor): Promise<Page[]> {
  const ids = new Map([...(await accountObjects(panel, account)), ...(await serverObjects(panel))])
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  writeFileSync(join(panel.dir, 'host/home/alice/page.html'), '<h1>')
  const browsed = await indexedBackup(panel, account)
  return (await declared()).flatMap(({ path, only, shows }): Page[] => {
    const listsContents = shows === 'listBackupEntries'
    // The directory driver has no databases.
    if (listsContents && path.includes('/mysql')) return []
    const filled = path.replace(/\{(\w+)(\.\.\.)?\}/g, (full, word: string, rest) => {
      if (listsContents) return rest ? (path.includes('/mail/') ? 'info@alice.example' : 'sites') : browsed
      return rest ? (shows === 'readFile' ? 'page.html' : 'sites') : (ids.get(words[word] ?? '') ?? full)
    })
    if (filled.includes('{')) return []
    if (sideOf({ shows }) === 'server') return [{ who: root, address: `/admin${filled}` }]
    return [
      ...(only !== 'admin' ? [{ who: visitor, address: `/user${filled}` }] : []),
      ...(only !== 'user' ? [{ who: root, address: `/admin/accounts/alice${filled}` }] : []),
    ]
  })
}
