import { say, svc } from '../../message.ts'
import { defineVerb, viewOf } from '../../cli/verb.ts'
import { readUserFile } from '../../config/file.ts'
import { rows } from '../../output/result.ts'
import { profileRows } from '../../cli/profiles.ts'

const profileView = viewOf(
  'Profiles',
  ['name', 'current:state', 'baseUrl as URL', 'apiKey as KEY', 'secret', 'protected:state'],
  { id: ({ name }) => name },
)

export const verb = defineVerb({
  examples: ['svc profiles list', 'svc profiles list --json', 'svc profiles list -o ids'],
  effect: 'reads',
  shows: profileView,
  run: async ({ host }) => {
    return rows(profileRows(host, await readUserFile(host)), {
      empty: say`no profiles; add one with: ${svc`profiles add <name>`}`,
    })
  },
})
