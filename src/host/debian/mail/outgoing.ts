import type { OutgoingMail } from '../../contract/driver.ts'
import type { Run } from '../commands.ts'

export const sendmail = '/usr/sbin/sendmail'

/** Root's mail with an empty sender, so that nothing answers it. `config`: another Postfix's directory. */
export async function handToPostfix(run: Run, { to, message }: OutgoingMail, config?: string): Promise<void> {
  const own = config === undefined ? [] : ['-C', config]
  await run(sendmail, [...own, '-i', '-f', '', '--', to], { input: message })
}
