import { buttons } from './buttons.ts'
import { forms } from './forms.ts'
import { later } from './later.ts'
import { say } from './say.ts'
import { session } from './session.ts'
import { times } from './times.ts'

for (const start of [buttons, times, forms, say, later, session]) start()
