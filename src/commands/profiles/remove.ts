import { say, svc } from '../../message.ts'
import { defineVerb, viewOf } from '../../cli/verb.ts'
import { readUserFile } from '../../config/load.ts'
import { one } from '../../output/result.ts'
import { change, existing, profileArgument, typedProfile } from '../../cli/profiles.ts'

const removedView = viewOf('RemovedProfile', ['removed', 'current', 'file'], {
  id: ({ removed }) => removed,
})

export const verb = defineVerb({
  notes: `A secret in the file is removed too. Secret files and password managers are not
changed. svc asks before it removes a protected profile. After the current
profile is removed, none is current.`,
  examples: ['svc profiles remove staging', 'svc profiles remove staging --json'],
  arguments: [profileArgument],
  effect: 'local',
  shows: removedView,
  run: async (context, [typed]) => {
    const { host, options, warn } = context
    const name = await typedProfile(context, typed)
    const before = await readUserFile(host, options)
    if (before?.content.profiles.get(name)?.protected === true) {
      await context.questions.confirm({
        kind: 'yes-no',
        message: `Remove the protected profile "${name}"?`,
      })
    }
    let current: string | undefined
    let hasOthers = false
    const file = await change(
      host,
      options,
      `remove "${name}" below "profiles" yourself`,
      (found) => {
        const { profiles, raw, current: chosen } = existing(found, name)
        const rest = Object.entries(profiles).filter(([each]) => each !== name)
        hasOthers = rest.length > 0
        // Nobody chose any of the others.
        current = chosen === name ? undefined : chosen
        return { ...raw, current, profiles: Object.fromEntries(rest) }
      },
    )
    if (current === undefined && hasOthers)
      warn(say`no profile is current now; choose one with: ${svc`profiles use <name>`}`)
    return one({ removed: name, current: current ?? null, file })
  },
})
