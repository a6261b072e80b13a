import { lifecycle } from './lifecycle.ts'

const { PANEL_URL, PANEL_TOKEN, PANEL_PACKAGE } = process.env
let steps = 0
await lifecycle(PANEL_URL!, PANEL_TOKEN!, PANEL_PACKAGE!, (name) => {
  steps += 1
  console.log(`ok ${steps} ${name}`)
})
console.log(`${steps} steps passed`)
