import type { TestPanel } from '../harness.ts'
import { type Given, made, type Objects } from './index.ts'

/** A webhook to a name that does not exist, and a ping sent to it. */
async function webhookAt(panel: TestPanel, path: string, account = ''): Promise<Objects> {
  const url = path.replace('{id}', account)
  const { id } = (await made(panel, url, { url: 'https://hooks.example/panel', enabled: false })).webhook
  await panel.post(`${url}/${id}/test`)
  const [delivery] = (await panel.get(`${url}/${id}/deliveries`)).body.items
  return { [`${path}/{wid}`]: id, [`${path}/{wid}/deliveries/{did}`]: delivery.id }
}

export const given: Given = {
  ofServer: (panel) => webhookAt(panel, '/webhooks'),
  ofAccount: (panel, id) => webhookAt(panel, '/accounts/{id}/webhooks', id),
}
