import { type Given, made } from './index.ts'

export const given: Given = {
  host: { db: { prefix: 'bob_', hosts: [], databases: [], users: [] } },
  async ofAccount(panel, account) {
    const path = `/accounts/${account}/mysql`
    await panel.patch('/settings', { mysql_public: true })
    const { database } = await made(panel, `${path}/databases`, { name: 'given' })
    const { user } = await made(panel, `${path}/users`, { name: 'given', password: 'a password of its own' })
    const { host } = await made(panel, `${path}/hosts`, { host: '192.0.2.77' })
    return {
      '/accounts/{id}/mysql/databases/{dbid}': database.id,
      '/accounts/{id}/mysql/databases/{dbid}/users/{duid}': user.id,
      '/accounts/{id}/mysql/users/{duid}': user.id,
      '/accounts/{id}/mysql/hosts/{hid}': host.id,
    }
  },
}
