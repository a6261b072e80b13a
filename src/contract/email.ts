export * from './email/mailboxes.ts'
