import { crud } from '../../web/kit/crud.ts'

export const screens = crud('listFeatureLists', {
  path: '/feature-lists',
  title: 'Feature lists',
  one: 'feature list',
  member: 'feature_list',
  name: 'name',
  empty: 'A feature list says which features the accounts of a package have.',
})
