import { ESLintUtils } from '@typescript-eslint/utils';
import tseslint from 'typescript-eslint';

/**
 * Rooms that a room must not import: api ← streams ← projections ← actors ← gateway ← e2e.
 * Said here for the editor's sake. tools/house-rules.test.ts judges resolved paths, and knows
 * more: filters and kinds do not import one another, packages have doorkeepers, no cycles.
 */
const FORBIDDEN = {
  api: ['streams', 'projections', 'actors', 'gateway', 'e2e'],
  streams: ['projections', 'actors', 'gateway', 'e2e'],
  projections: ['actors', 'gateway', 'e2e'],
  actors: ['gateway', 'e2e'],
  gateway: ['e2e'],
};

const rooms = Object.entries(FORBIDDEN).map(([room, forbidden]) => ({
  files: [`${room}/**`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          ...forbidden.map((other) => ({
            // Tests of any layer may start what fixtures of later ones put together.
            regex: `/${other}/(?!.*\\.fixture\\.ts$)`,
            message: `${room} must not import ${other}`,
          })),
        ],
      },
    ],
  },
}));

const DEPTH_MAX = 4;
const BIGINT = 64 | 2048; // TypeFlags.BigInt and BigIntLiteral.

/** Whether a value of the type may have a bigint somewhere in it, as JsonValue has. */
function mayHoldBigInt(type, checker, depth = DEPTH_MAX) {
  if ((type.flags & BIGINT) !== 0) return true;
  if (depth === 0) return false;
  const parts = type.isUnionOrIntersection() ? type.types : [...checker.getIndexInfosOfType(type)];
  return parts.some((part) => mayHoldBigInt(part.type ?? part, checker, depth - 1));
}

/** What is JSON of objects goes through json-text.ts, or an int64 in it is lost. */
const exactJson = {
  meta: { type: 'problem', schema: [], messages: { use: 'use {{name}} of api/json/json-text.ts' } },
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();
    const isExact = (node) => mayHoldBigInt(services.getTypeAtLocation(node), checker);
    const call = (name) =>
      `CallExpression[callee.object.name="JSON"][callee.property.name="${name}"]`;
    return {
      [`TSAsExpression > ${call('parse')}`](node) {
        if (isExact(node.parent))
          context.report({ node, messageId: 'use', data: { name: 'parseJson' } });
      },
      [call('stringify')](node) {
        const isOfObject = node.arguments.slice(0, 1).some(isExact);
        if (isOfObject) context.report({ node, messageId: 'use', data: { name: 'formatJson' } });
      },
    };
  },
};

const STRING = 1 | 2 | 4 | 128 | 134217728; // TypeFlags.Any, Unknown, String, StringLiteral, TemplateLiteral.

function mayBeString(type) {
  return (type.flags & STRING) !== 0 || (type.isUnion() && type.types.some(mayBeString));
}

/** Digits of a power of two are read in one pass; of ten, in a time that grows with their square. */
function isOfPowerOfTwo(node) {
  return node?.type === 'TemplateLiteral' && /^0[xob]/.test(node.quasis[0].value.raw);
}

/** Digits that strangers send are counted before they are read. */
const boundedDigits = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { use: 'BigInt takes more than linear time: use api/json/go-numbers.ts' },
  },
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    return {
      'CallExpression[callee.name="BigInt"]'(node) {
        const [text] = node.arguments;
        if (text === undefined || isOfPowerOfTwo(text)) return;
        if (mayBeString(services.getTypeAtLocation(text))) {
          context.report({ node, messageId: 'use' });
        }
      },
    };
  },
};

export default tseslint.config(
  { ignores: ['dist/**', '*.config.js', 'everwatch-data/**', '.cache/**', 'deploy/probe.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'max-lines': ['warn', { max: 400 }],
      'max-lines-per-function': ['warn', { max: 70 }],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      // A default case says what happens to the rest; without one every case must be there.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { varsIgnorePattern: '^_', argsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: false }],
      // An Error subclass carries its name; nothing else is thrown.
      '@typescript-eslint/only-throw-error': 'error',
    },
  },
  ...rooms,
  // A program writes them, one file for each group version.
  { files: ['api/generated/**'], rules: { 'max-lines': 'off' } },
  {
    files: [
      '**/*.test.ts',
      '**/*.contract.ts',
      '**/*.fixture.ts',
      'e2e/**',
      'tools/**',
      'bench/**',
    ],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': 'off',
      'max-params': 'off',
      // Fixtures give their methods as functions: `const { post } = await givenControlPlane()`.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['api/**', 'streams/**', 'projections/**', 'actors/**', 'gateway/**'],
    ignores: ['**/*.test.ts', '**/*.contract.ts', '**/*.fixture.ts', 'api/json/json-*.ts'],
    plugins: { everwatch: { rules: { 'exact-json': exactJson } } },
    rules: { 'everwatch/exact-json': 'error' },
  },
  {
    files: ['api/**', 'streams/**', 'projections/**', 'actors/**', 'gateway/**'],
    ignores: ['**/*.test.ts', '**/*.fixture.ts', 'api/json/go-numbers.ts'],
    plugins: { digits: { rules: { bounded: boundedDigits } } },
    rules: { 'digits/bounded': 'error' },
  },
  {
    files: ['api/**', 'streams/**', 'projections/**', 'actors/**', 'gateway/**'],
    ignores: [
      '**/*.test.ts',
      '**/*.contract.ts',
      '**/*.fixture.ts',
      'gateway/process/system-clock.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'use the Clock that is handed in' },
        { object: 'Math', property: 'random', message: 'use the Random that is handed in' },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'setTimeout', message: 'use the Clock that is handed in' },
        { name: 'setInterval', message: 'use the Clock that is handed in' },
      ],
    },
  },
);
