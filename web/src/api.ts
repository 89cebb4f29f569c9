// The HTTP contract of the server (server/openapi.json), as far as the explorer uses it. Everything
// that is asked of a server goes through here.

export type ByCriterion<T = number> = Record<string, T>;

export interface Criterion {
  name: string;
  min: number;
  max: number;
}

export interface User {
  id: string;
  attributes: Record<string, unknown>;
  ratings?: number;
}

export interface Rating {
  user: string;
  item: string;
  title?: string;
  values: ByCriterion;
  time: number | null;
}

export interface Item {
  id: string;
  title: string;
  attributes: Record<string, unknown>;
  raters: number;
  means: ByCriterion<number | null>;
}

export interface ProfileRating {
  item: string;
  values: ByCriterion;
}

/** Whose list it is: someone in the data, or ratings given here and now. */
export type Subject = { user: string } | { profile: ProfileRating[] };
export type Weights = ByCriterion;
export type Basis = 'ratings' | 'popularity';

export interface Recommendation {
  rank: number;
  item: string;
  title: string;
  score: number;
  linked: boolean;
  by_criterion?: ByCriterion;
}

export interface RecommendationList {
  user: string | null;
  basis: Basis;
  version: number;
  items: Recommendation[];
  cursor: string | null;
}

export interface Explanation {
  user: string | null;
  item: string;
  title: string;
  basis: Basis;
  version: number;
  score: number;
  baseline: number;
  criteria: string[];
  by_criterion: ByCriterion;
  preference: ByCriterion;
  parts: { item: string; title: string; criterion: string; rating: number; value: number }[];
  rest: number;
}

export interface SimilarList {
  item: string;
  title: string;
  items: { item: string; title: string; score: number }[];
}

export type GraphState = 'empty' | 'fitting' | 'ready';

export interface ModelFilter {
  criterion: string;
  filter: string;
  coefficients: number[];
  power: number;
  response: [number, number][];
}

export interface Choice {
  ndcg_start: number;
  ndcg_end: number;
  users: number;
  steps: { tried: string; ndcg: number; taken: boolean }[];
}

export interface Model {
  state: GraphState;
  version: number;
  method: string;
  variant: string;
  preference: number | null;
  filters: ModelFilter[];
  solver: string;
  storage: string;
  why: string;
  users: number;
  items: number;
  interactions: number;
  graph_entries: number;
  memory_bytes: number;
  trained_with: string;
  choice: Choice | null;
}

export interface DataCriterion extends Criterion {
  ratings: number;
  missing: number;
  mean: number | null;
  histogram: { from: number; to: number; count: number }[];
}

export interface Data {
  users: number;
  items: number;
  ratings: number;
  density: number;
  sequence: number;
  criteria: DataCriterion[];
  long_tail: {
    points: [number, number][];
    top: { item: string; title: string; raters: number }[];
  };
  ratings_per_user: { min: number; median: number; mean: number; max: number };
}

export interface Service {
  version: string;
  uptime_seconds: number;
  requests: { total: number; errors: number; per_second: number };
  latency: {
    route: string;
    count: number;
    p50_ms: number;
    p90_ms: number;
    p99_ms: number;
    max_ms: number;
  }[];
  history: { seconds_ago: number; requests: number; p50_ms: number; p99_ms: number }[];
  memory: { resident_bytes: number; model_bytes: number };
  graph: {
    state: GraphState;
    age_seconds: number;
    changes: number;
    behind: number;
    version: number;
  };
  cache: { hits: number; misses: number; entries: number };
  connections: number;
  store: { kind: string; sequence: number; users: number; items: number; ratings: number };
}

/** A problem document, or what stands for one if no server answered. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly hint?: string,
  ) {
    super(detail || title);
  }
}

const unreachable = () =>
  new ApiError(
    0,
    'unreachable',
    'The server does not answer',
    'It was stopped, or the connection to it is broken.',
    'Start it with palate serve, then try again.',
  );

async function problemOf(response: Response): Promise<ApiError> {
  try {
    const problem = (await response.json()) as Partial<Record<string, string>>;
    return new ApiError(
      response.status,
      problem['code'] ?? 'unknown',
      problem['title'] ?? response.statusText,
      problem['detail'] ?? '',
      problem['hint'],
    );
  } catch {
    return new ApiError(
      response.status,
      'unknown',
      `Answer ${response.status}`,
      response.statusText,
    );
  }
}

export interface Keys {
  get(): string | null;
  /** Asks the person for another key; null if there will be none. */
  ask(refused: string | null): Promise<string | null>;
}

export class Api {
  constructor(
    private readonly keys: Keys,
    private readonly base = '',
    private readonly send: typeof fetch = (...args) => fetch(...args),
  ) {}

  criteria = (signal?: AbortSignal) =>
    this.get<{ criteria: Criterion[] }>('/v1/criteria', {}, signal).then((r) => r.criteria);

  users = (q: string, limit: number, signal?: AbortSignal) =>
    this.get<{ users: User[]; next: string | null }>('/v1/users', { q, limit }, signal);

  user = (id: string, signal?: AbortSignal) =>
    this.get<User>(`/v1/users/${encodeURIComponent(id)}`, {}, signal);

  ratings = (id: string, signal?: AbortSignal) =>
    this.get<{ ratings: Rating[] }>(`/v1/users/${encodeURIComponent(id)}/ratings`, {}, signal).then(
      (r) => r.ratings,
    );

  items = (q: string, limit: number, after?: string, signal?: AbortSignal) =>
    this.get<{ items: Item[]; next: string | null }>('/v1/items', { q, limit, after }, signal);

  item = (id: string, signal?: AbortSignal) =>
    this.get<Item>(`/v1/items/${encodeURIComponent(id)}`, {}, signal);

  similar = (id: string, top: number, signal?: AbortSignal) =>
    this.get<SimilarList>(`/v1/items/${encodeURIComponent(id)}/similar`, { top }, signal);

  recommend = (
    question: { subject: Subject; weights: Weights; top: number; cursor?: string },
    signal?: AbortSignal,
  ) => {
    const { subject, cursor, ...rest } = question;
    const body = { ...subject, ...rest, attributions: true, ...(cursor ? { cursor } : {}) };
    return this.post<RecommendationList>('/v1/recommendations', body, signal);
  };

  explain = (subject: Subject, item: string, weights: Weights, signal?: AbortSignal) =>
    this.post<Explanation>('/v1/explanations', { ...subject, item, weights }, signal);

  model = (signal?: AbortSignal) => this.get<Model>('/v1/model', {}, signal);
  data = (signal?: AbortSignal) => this.get<Data>('/v1/data', {}, signal);
  service = (signal?: AbortSignal) => this.get<Service>('/v1/service', {}, signal);

  private get<T>(
    path: string,
    query: Record<string, string | number | undefined>,
    signal?: AbortSignal,
  ): Promise<T> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== '') search.set(name, String(value));
    const text = search.toString();
    return this.request<T>(text ? `${path}?${text}` : path, {}, signal);
  }

  private post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    return this.request<T>(path, init, signal);
  }

  private async request<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<T> {
    let key = this.keys.get();
    for (;;) {
      const headers = new Headers(init.headers);
      headers.set('Accept', 'application/json');
      if (key) headers.set('Authorization', `Bearer ${key}`);
      let response: Response;
      try {
        response = await this.send(this.base + path, {
          ...init,
          headers,
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        throw signal?.aborted ? error : unreachable();
      }
      if (response.ok) return (await response.json()) as T;
      const problem = await problemOf(response);
      if (response.status !== 401) throw problem;
      const next = await this.keys.ask(key);
      if (next === null) throw problem;
      key = next;
    }
  }
}
