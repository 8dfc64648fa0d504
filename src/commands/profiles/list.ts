import { defineVerb } from '../../cli/verb.ts'
import { readUserFile } from '../../config/file.ts'
import { credentialVariables } from '../../config/profile.ts'
import { id, rows, text } from '../../output/result.ts'
import { serviceOf, profileRow, rulesOf } from '../../cli/profiles.ts'

export const verb = defineVerb({
  summary: 'list the profiles of the configuration file',
  examples: ['svc profiles list', 'svc profiles list --json', 'svc profiles list -o ids'],
  isRead: true,
  columns: {
    NAME: id('name'),
    CURRENT: text('current'),
    HOST: text(serviceOf),
    KEY: id('apiKey'),
    RULES: text(rulesOf),
  },
  ids: 'name',
  act: (context) => {
    const { host } = context
    const variables = credentialVariables(host)
    if (variables.length > 0)
      context.note(
        `these variables are used instead of the current profile: ${variables.join(', ')}`,
      )
    const file = readUserFile(host)
    const names = [...(file?.content.profiles.keys() ?? [])]
    return rows(
      names.map((name) => profileRow(host, file, name)),
      { empty: 'no profiles; add one with:\n  svc profiles add <name>' },
    )
  },
})
