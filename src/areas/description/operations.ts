import type * as declared from '../../contract/description.ts'
import { openapi } from '../../contract/openapi.ts'
import { type Handler, Preserialized } from '../../runtime/operations/run.ts'

let text: Preserialized | undefined

const getOpenApi: Handler<typeof declared.getOpenApi> = {
  handle() {
    text ??= new Preserialized(JSON.stringify(openapi({ server: '/api/v1' })))
    return text
  },
}

export const descriptionOperations = { getOpenApi }
