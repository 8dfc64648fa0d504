import { say, svc } from '../../message.ts'
import { defineVerb } from '../../cli/verb.ts'
import { one } from '../../output/result.ts'
import { documentView } from '../../views/document-view.ts'
import { change, existing, refuseName, refuseTaken } from './user-file.ts'

const renamedView = documentView('RenamedProfile', ['renamed', 'name', 'current:state', 'file'], {
  id: ({ name }) => name,
})

export const rename = defineVerb({
  examples: ['svc profiles rename staging test', 'svc profiles rename prod live --json'],
  arguments: [
    { name: 'profile', takes: 'profile', summary: 'a profile of the file', isRequired: true },
    { name: 'new-name', takes: 'word', summary: 'its new name', isRequired: true },
  ],
  effect: 'local',
  shows: renamedView,
  run: async ({ host, options }, [old, name]) => {
    refuseName(host, name)
    let current = false
    const file = await change(
      host,
      options,
      `rename "${old}" below "profiles" yourself`,
      (found) => {
        const { profiles, raw, current: chosen } = existing(found, old)
        refuseTaken(
          found,
          name,
          say`choose another name, or remove it first:\n  ${svc`profiles remove ${name}`}`,
        )
        current = chosen === old
        const renamed = Object.entries(profiles).map(([each, profile]) => [
          each === old ? name : each,
          profile,
        ])
        return {
          ...raw,
          ...(current ? { current: name } : {}),
          profiles: Object.fromEntries(renamed),
        }
      },
    )
    return one({ renamed: old, name, current, file })
  },
})
