import type { FileInput } from '../../../host/contract/driver.ts'
import type { DomainRow } from '../tables.ts'

/** What to read of a site's home. */
export const scanOf = ({
  document_root,
  handler,
}: Pick<DomainRow, 'document_root' | 'handler'>): FileInput<'htaccess'> => ({
  root: Buffer.from(document_root!).toString('base64'),
  handler,
})
