import type { NoticeKind } from '../../contract/notices.ts'

/** Whether a cause is about mail, or about a channel: no mail is sent about these. */
export const isAboutMail = (kind: NoticeKind): boolean => kind.startsWith('mail-') || kind === 'alert-channel-off'
