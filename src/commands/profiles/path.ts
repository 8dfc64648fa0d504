import { defineVerb } from '../../cli/verb.ts'
import { stateDir } from '../../config/paths.ts'
import { one } from '../../output/result.ts'
import { documentView } from '../../views/document-view.ts'
import { configPlace } from './user-file.ts'

const whereView = documentView(
  'ConfigurationPlace',
  ['path as FILE', 'exists:state', 'source as FROM', 'stateDir as STATE'],
  { id: ({ path }) => path, defaultFormat: 'ids' },
)

export const path = defineVerb({
  examples: ['svc profiles path', 'svc profiles path -o table', '"$EDITOR" "$(svc profiles path)"'],
  effect: 'reads',
  shows: whereView,
  lenient: true,
  run: async ({ host, options }) => {
    const { path, exists, source } = configPlace(host, options)
    return one({ path, exists, source, stateDir: stateDir(host, options).value })
  },
})
