import { type Given, made } from './index.ts'

export const given: Given = {
  async ofServer(panel) {
    const [local] = (await panel.get('/backup-destinations')).body.items
    return { '/backup-destinations/{did}': local.id }
  },
  async ofAccount(panel, account) {
    const { backup } = await made(panel, `/accounts/${account}/backups`, { parts: ['config'] })
    await panel.settle()
    return { '/accounts/{id}/backups/{bid}': backup.id, '/backups/{bid}': backup.id }
  },
}
