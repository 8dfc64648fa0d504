import { defineVerb } from '../../cli/verb.ts'
import { readUserFile } from '../../config/file.ts'
import { one, text } from '../../output/result.ts'
import {
  editUserFile,
  requireProfile,
  profileArgument,
  rawProfiles,
} from '../../cli/profiles.ts'

export const verb = defineVerb({
  summary: 'remove a profile from the configuration file',
  notes: `A secret in the file is removed too. Secret files and password managers are not
changed. svc asks before it removes a protected profile. After the current
profile is removed, none is current.`,
  examples: ['svc profiles remove staging', 'svc profiles remove staging --json'],
  arguments: [profileArgument],
  columns: { REMOVED: text('removed'), CURRENT: text('current'), FILE: text('file') },
  ids: 'removed',
  act: async (context, [name]) => {
    const { host, warn } = context
    const present = readUserFile(host)
    if (present?.content.profiles.get(name)?.protected === true) {
      const questions = await context.questions()
      await questions.confirm({ message: `Remove the protected profile "${name}"?` })
    }
    const wasCurrent = present?.content.current === name
    // The file is read again, because it may have changed while svc asked.
    const { path, content } = await editUserFile(host, (latest) => {
      const { file } = requireProfile(latest, name)
      const { [name]: _, ...profiles } = rawProfiles(file)
      const { current } = file.content
      // svc does not choose another current profile.
      return { ...file.raw, current: current === name ? undefined : current, profiles }
    })
    if (wasCurrent && content.profiles.size > 0)
      warn('there is no current profile now; choose one with:\n  svc profiles use <name>')
    return one({ removed: name, current: content.current ?? null, file: path })
  },
})
