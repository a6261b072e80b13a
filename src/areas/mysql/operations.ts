import { databaseOperations } from './databases.ts'
import { dumpOperations } from './dumps/operations.ts'
import { grantOperations } from './grants.ts'
import { hostOperations } from './hosts.ts'
import { getMysqlServer } from './server.ts'
import { userOperations } from './users.ts'

export const mysqlOperations = {
  getMysqlServer,
  ...databaseOperations,
  ...userOperations,
  ...grantOperations,
  ...hostOperations,
  ...dumpOperations,
}
