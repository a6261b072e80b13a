import { type Given, made } from './index.ts'

const small = { name: 'small' }

export const given: Given = {
  ofServer: async (panel) => ({ '/packages/{id}': (await made(panel, '/packages', small)).id }),
  /** With a feature list set by root, so that the reseller sees that too. */
  async ofReseller(panel, send) {
    const { id } = await made(panel, '/packages', small, send)
    const list = await made(panel, '/feature-lists', { name: 'given' })
    await panel.patch(`/packages/${id}`, { feature_list_id: list.id })
    await panel.settle()
    return { '/packages/{id}': id, '/feature-lists/{id}': list.id }
  },
}
