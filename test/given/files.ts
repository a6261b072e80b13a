import { expect } from 'vitest'
import { type Given, made } from './index.ts'

const path = 'tmp/deleted.txt'

/** A deleted file, and a running upload. */
export const given: Given = {
  async ofAccount(panel, account) {
    const headers = { 'Content-Type': 'application/octet-stream' }
    const files = `/accounts/${account}/files`
    const written = await panel.send('PUT', `${files}/content?path=${path}`, { body: 'deleted', headers })
    expect(written.status, JSON.stringify(written.body)).toBe(200)
    const deleted = await panel.delete(`${files}?path=${path}`)
    const upload = await made(panel, `/accounts/${account}/uploads`, { size: 1_000 })
    return { '/accounts/{id}/trash/{xid}': deleted.body.trash_item.id, '/accounts/{id}/uploads/{uid}': upload.id }
  },
}
