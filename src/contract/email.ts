export * from './email/autoresponders.ts'
export * from './email/domains.ts'
export * from './email/forwarders.ts'
export * from './email/mailboxes.ts'
