import * as accounts from './accounts.ts'
import * as alerts from './alerts.ts'
import * as apps from './apps.ts'
import * as audit from './audit.ts'
import * as backupDestinations from './backup-destinations.ts'
import * as backups from './backups.ts'
import * as bans from './bans.ts'
import * as brand from './brand.ts'
import * as cron from './cron.ts'
import * as description from './description.ts'
import * as dns from './dns.ts'
import * as dnsPeers from './dns-peers.ts'
import * as domains from './domains.ts'
import * as email from './email.ts'
import * as emailTemplates from './email-templates.ts'
import * as featureLists from './feature-lists.ts'
import * as feed from './feed.ts'
import * as files from './files.ts'
import * as firewall from './firewall.ts'
import * as ftp from './ftp.ts'
import * as host from './host.ts'
import * as hostTrash from './host-trash.ts'
import * as importUploads from './import-uploads.ts'
import * as imports from './imports.ts'
import * as ips from './ips.ts'
import * as jobs from './jobs.ts'
import * as logs from './logs.ts'
import * as lookup from './lookup.ts'
import * as mysql from './mysql.ts'
import * as nodeJoin from './node-join.ts'
import * as nodes from './nodes.ts'
import * as notices from './notices.ts'
import type { Declaration } from './operation.ts'
import * as packages from './packages.ts'
import * as passkeys from './passkeys.ts'
import * as relays from './relays.ts'
import * as resellers from './resellers.ts'
import * as security from './security.ts'
import * as server from './server.ts'
import * as sessions from './sessions.ts'
import * as ssh from './ssh.ts'
import * as ssl from './ssl.ts'
import * as sso from './sso.ts'
import * as tokens from './tokens.ts'
import * as trash from './trash.ts'
import * as uploads from './uploads.ts'
import * as waf from './waf.ts'
import * as webhooks from './webhooks.ts'
import * as wordpress from './wordpress.ts'
import * as wordpressChange from './wordpress-change.ts'
import * as wordpressContent from './wordpress-content.ts'
import * as wordpressInstall from './wordpress-install.ts'
import * as wordpressUpdate from './wordpress-update.ts'

type OperationsOf<M> = { [K in keyof M as M[K] extends Declaration ? K : never]: M[K] }

/** Paths with fewer parameters go first, or `/webhooks/{wid}` would catch `/webhooks/events`. */
const parameterCount = (declaration: Declaration): number => declaration.path.split('{').length

function operationsOf<M extends object>(module: M): OperationsOf<M> {
  const entries = Object.entries(module).filter(([key, value]) => (value as Declaration)?.id === key)
  // Sort explicitly: not every loader orders module namespaces by name.
  entries.sort(([a, first], [b, second]) => parameterCount(first) - parameterCount(second) || (a < b ? -1 : 1))
  return Object.fromEntries(entries) as OperationsOf<M>
}

/** Every operation by id. Static paths come before parameters. */
export const operations = {
  ...operationsOf(description),
  ...operationsOf(accounts),
  ...operationsOf(domains),
  ...operationsOf(waf),
  ...operationsOf(dns),
  ...operationsOf(ssh),
  ...operationsOf(cron),
  ...operationsOf(apps),
  ...operationsOf(email),
  ...operationsOf(relays),
  ...operationsOf(mysql),
  ...operationsOf(wordpress),
  ...operationsOf(wordpressChange),
  ...operationsOf(wordpressContent),
  ...operationsOf(wordpressInstall),
  ...operationsOf(wordpressUpdate),
  ...operationsOf(files),
  ...operationsOf(trash),
  ...operationsOf(backups),
  ...operationsOf(backupDestinations),
  ...operationsOf(ftp),
  ...operationsOf(uploads),
  ...operationsOf(logs),
  ...operationsOf(packages),
  ...operationsOf(featureLists),
  ...operationsOf(importUploads),
  ...operationsOf(imports),
  ...operationsOf(ips),
  ...operationsOf(jobs),
  ...operationsOf(lookup),
  ...operationsOf(dnsPeers),
  ...operationsOf(nodes),
  ...operationsOf(nodeJoin),
  ...operationsOf(notices),
  ...operationsOf(alerts),
  ...operationsOf(emailTemplates),
  ...operationsOf(resellers),
  ...operationsOf(brand),
  ...operationsOf(ssl),
  ...operationsOf(sso),
  ...operationsOf(tokens),
  ...operationsOf(webhooks),
  ...operationsOf(feed),
  ...operationsOf(audit),
  ...operationsOf(sessions),
  ...operationsOf(passkeys),
  ...operationsOf(security),
  ...operationsOf(bans),
  ...operationsOf(firewall),
  ...operationsOf(server),
  ...operationsOf(host),
  ...operationsOf(hostTrash),
}

export type Operations = typeof operations
export type OperationId = keyof Operations
export const operationList: readonly Declaration[] = Object.values(operations)
