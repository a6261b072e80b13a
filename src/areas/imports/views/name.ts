import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered } from '../../../web/kit/screen.ts'

/** What a page calls an import: its account, or its file while no account is known. */
export const importName = ({ username, source }: Answered): string =>
  username || source.file?.split('/').at(-1) || t('Uploaded archive')

/** Whether the archive could not be read: there is nothing to run. */
export const isUnread = ({ status, steps }: Answered): boolean =>
  status === 'failed' && steps.some((one: Answered) => one.step === 'inspect' && one.status === 'failed')
