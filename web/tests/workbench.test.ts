import { describe, expect, it } from 'vitest';
import { Api, type Job, type Method, type MethodList } from '../src/api';
import { heatMap } from '../src/lib/attribution';
import { byCriterion, doublingsOf, signed, weightOf } from '../src/lib/dials';
import { eventText } from '../src/lib/events';
import { jobsOf } from '../src/lib/jobs';
import { hasMeaning, matchText, shareText } from '../src/lib/meaning';
import { comparable, methodText, waysOf } from '../src/lib/method_text';
import { fieldsOf, namedIn, routesByTag, typeText } from '../src/lib/openapi';
import { parse } from '../src/lib/router';
import { headOf } from '../src/lib/upload';

const setting = (name: string, more = {}) => ({
  name,
  kind: 'number' as const,
  default: '1',
  help: '',
  computing: false,
  ...more,
});
const method = (name: string, more: Partial<Method> = {}): Method => ({
  name,
  summary: '',
  can: { serve_newcomers: true },
  settings: [],
  asks: [],
  automatic: false,
  ...more,
});

describe('methods as text', () => {
  const adaptive = method('adaptive', {
    automatic: true,
    settings: [setting('lambda'), setting('precision', { computing: true })],
    asks: [setting('settings', { kind: 'text', choices: ['auto', 'fixed'] })],
  });
  const caGf = method('ca-gf', {
    automatic: true,
    settings: [setting('filters', { kind: 'filters' })],
    asks: [setting('preset', { kind: 'text' })],
  });
  const ease = method('ease', { settings: [setting('filter'), setting('lambda')] });

  it('are what the settings say, the filter last', () => {
    expect(methodText(adaptive, 'automatic', '', { lambda: '3' })).toBe('adaptive');
    expect(methodText(adaptive, 'hand', '', { lambda: '3' })).toBe(
      'adaptive:settings=fixed:lambda=3',
    );
    expect(methodText(caGf, 'preset', 'ym', {})).toBe('ca-gf:preset=ym');
    expect(methodText(ease, 'hand', '', { lambda: '1', filter: 'outward:0.8' })).toBe(
      'ease:filter=outward:0.8',
    );
    expect(methodText(ease, 'hand', '', { lambda: '7', filter: 'a:1' })).toBe(
      'ease:lambda=7:filter=a:1',
    );
  });

  it('offer only the ways that a method has', () => {
    expect(waysOf(adaptive, ['ym'])).toEqual(['automatic', 'hand']);
    expect(waysOf(caGf, ['ym'])).toEqual(['automatic', 'preset']);
    expect(waysOf(caGf, [])).toEqual(['automatic']);
    expect(waysOf(ease, ['ym'])).toEqual(['hand']);
  });

  it('stand beside each other, simple ones first and each once', () => {
    const list: MethodList = {
      methods: [adaptive, caGf, ease, method('bprmf', { can: {} }), method('popularity')],
      presets: ['ym'],
      served: 'ease:lambda=2',
      served_automatic: false,
    };
    const names = ['popularity', 'ease', 'adaptive', 'ca-gf', 'ca-gf:preset=ym', 'ease:lambda=2'];
    expect(comparable(list)).toEqual(names);
    expect(comparable({ ...list, served: 'ease' })).toEqual(names.slice(0, -1));
  });
});

describe('jobs', () => {
  const job = (id: number, state: Job['state'], more: Partial<Job> = {}): Job => ({
    id,
    kind: 'fit',
    asked: { method: 'ease' },
    by: null,
    state,
    created: 0,
    started: null,
    ended: null,
    has_result: false,
    error: null,
    progress: null,
    ...more,
  });
  it('of a kind: the one that is next, the last result, and what went wrong since', () => {
    const done = job(1, 'done', { has_result: true });
    const all = [job(4, 'waiting'), job(3, 'running'), job(2, 'failed'), done];
    expect(jobsOf(all, 'fit')).toMatchObject({ open: { id: 3 }, done: { id: 1 } });
    expect(jobsOf(all, 'fit').failed).toBeUndefined();
    expect(jobsOf(all.slice(2), 'fit')).toMatchObject({ failed: { id: 2 }, done: { id: 1 } });
    expect(jobsOf(all, 'dials')).toEqual({});
  });
  it('are told in words', () => {
    const detail = { kind: 'comparison', asked: { methods: ['a', 'b'] }, error: { detail: 'no' } };
    const event = { time: 0, event: 'job failed', by: null, detail };
    expect(eventText(event)).toBe('Comparison of a, b: failed (no)');
    const read = { file: 'x.csv', new_ratings: 1 };
    expect(eventText({ ...event, event: 'import', detail: read })).toBe(
      'x.csv imported: 1 new rating',
    );
  });
});

describe('files', () => {
  it('name their columns in the first line', () => {
    expect(headOf('\ufeffwho,"the, beer",stars\r\na,b,3')).toEqual(['who', 'the, beer', 'stars']);
    expect(headOf('a;b;"c ""x"""\n')).toEqual(['a', 'b', 'c "x"']);
    expect(headOf('user_id:token\titem_id:token\trating:float')).toEqual([
      'user_id',
      'item_id',
      'rating',
    ]);
    expect(headOf('{"user": 1, "stars": 2}\n{}')).toEqual(['user', 'stars']);
    expect(headOf('just a text')).toEqual([]);
    expect(headOf('{"broken')).toEqual([]);
  });
  it('go out as they are, with their columns in the address', async () => {
    let sent: [string, RequestInit] | undefined;
    const send = ((url: string, init: RequestInit) => {
      sent = [url, init];
      return Promise.resolve(new Response('{}'));
    }) as unknown as typeof fetch;
    const api = new Api({ get: () => null, ask: async () => null, use: () => undefined }, '', send);
    const file = new Blob(['x']) as File;
    Object.defineProperty(file, 'name', { value: 'a&b.csv' });
    await api.importFile(file, { user: 'ü', criteria: ['a b', 'c'] }, true);
    expect(sent![0]).toBe(
      '/v1/imports?name=a%26b.csv&preview=true&user=%C3%BC&criteria=a%20b&criteria=c',
    );
    expect(sent![1].body).toBe(file);
  });
});

describe('scores for people', () => {
  it('are a match, and shares of the score', () => {
    expect([97.3, 99.96, 100, 0].map(matchText)).toEqual(['97.3', '99.9', '100', '0.0']);
    expect([
      shareText(1, 4),
      shareText(-1, 8),
      shareText(0.1, 7),
      shareText(0.001, 7),
      shareText(1, 0),
    ]).toEqual(['25 %', '−13 %', '1.4 %', '0 %', '0 %']);
  });
  it('are there only where a server gives them', () => {
    expect(hasMeaning([{}, { match: null, predicted: null }])).toBe(false);
    expect(hasMeaning([{}, { match: 0 }])).toBe(true);
    expect(hasMeaning([{ predicted: { overall: 3 } }])).toBe(true);
  });
});

describe('dials', () => {
  it('are part of what a score adds up to', () => {
    const part = { item: 'i', title: '', criterion: 'b', rating: 4, value: 3 };
    const dial = { criterion: 'b', weight: 2, value: -0.5, why: 'rated lower' };
    const { rows, columns, dials, total } = heatMap(['a', 'b'], [part], 1, [dial]);
    expect([rows[0]!.sum, columns, total]).toEqual([3, [0, 2.5], 3.5]);
    expect(dials).toEqual([{ ...dial, criterion: 1 }]);
  });
  it('go by criterion, from the least weight to the most', () => {
    const one = (criterion: string, weight: number) => ({
      criterion,
      weight,
      shift: 0,
      changed: 0,
      ndcg: 0,
    });
    const rows = byCriterion({ effects: [one('b', 2), one('a', 1), one('b', 0.5)] });
    expect(rows.map(({ criterion, effects }) => [criterion, effects.map((e) => e.weight)])).toEqual(
      [
        ['b', [0.5, 2]],
        ['a', [1]],
      ],
    );
  });
  it('go as far down as up, and an address may ask for more than a slider has', () => {
    expect([0.5, 1, 2].map(doublingsOf)).toEqual([-1, 0, 1]);
    expect([0, 0.01, 100].map(doublingsOf)).toEqual([-3, -3, 3]);
    expect([-1, -0.5, 0, 0.5, 3].map(weightOf)).toEqual([0.5, 0.71, 1, 1.4, 8]);
  });

  it('are signed, but for what is nothing', () => {
    expect([signed(0.5, 1), signed(-0.25, 2), signed(-0.001, 2)]).toEqual([
      '+0.5',
      '−0.25',
      '0.00',
    ]);
  });
});

describe('the document of the interface', () => {
  it('is shown at an address of its own, until another page is chosen', () => {
    expect(parse('', '/docs').page).toBe('docs');
    expect(parse('#/model', '/docs').page).toBe('model');
  });
  it('says types in words and leads to what has a name', () => {
    const ref = { $ref: '#/components/schemas/Job' };
    expect(typeText({ type: 'array', items: ref })).toBe('array of Job');
    expect(namedIn({ type: 'array', items: ref })).toBe('Job');
    expect(typeText({ oneOf: [{ type: 'null' }, ref] })).toBe('null or Job');
    expect(typeText({ type: 'number', exclusiveMinimum: 0, maximum: 0.5 })).toBe(
      'number, above 0 to 0.5',
    );
    expect(typeText({ enum: ['a', 1] })).toBe('"a", 1');
    const object = { type: 'object', required: ['x'], properties: { x: ref, y: {} } };
    expect(fieldsOf({ type: 'array', items: object }).map(([n, , must]) => [n, must])).toEqual([
      ['x', true],
      ['y', false],
    ]);
  });
  it('groups routes as its tags say', () => {
    const operation = (id: string, tag: string) => ({
      operationId: id,
      tags: [tag],
      summary: '',
      responses: {},
    });
    const groups = routesByTag({
      info: { title: '', version: '' },
      tags: [{ name: 't' }, { name: 's' }],
      paths: { '/a': { get: operation('a', 's'), post: operation('b', 't') } },
      components: { schemas: {} },
    });
    expect(groups.map(([tag, all]) => [tag, all.map((r) => `${r.method} ${r.path}`)])).toEqual([
      ['t', ['post /a']],
      ['s', ['get /a']],
    ]);
  });
});
