import { render } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Api } from './api';
import { KeyPrompt } from './components/key_prompt';
import { Layout } from './components/layout';
import { Failed, Loading } from './components/states';
import { AppContext, storageOf } from './context';
import { useAsked } from './lib/asked';
import { SessionKeys, type Prompt } from './lib/keys';
import { useRoute, type Page } from './lib/router';
import { DataPage } from './pages/data';
import { ItemsPage } from './pages/items';
import { ModelPage } from './pages/model';
import { PeoplePage } from './pages/people';
import { RecommendPage } from './pages/recommend';
import { ServicePage } from './pages/service';
import { WhyPage } from './pages/why';
import './style/colours.css';
import './style/base.css';
import './style/controls.css';
import './style/parts.css';
import './style/figures.css';
import './style/pages.css';

function pageOf(page: Page, params: URLSearchParams) {
  switch (page) {
    case 'recommend':
      return <RecommendPage params={params} />;
    case 'why':
      return <WhyPage params={params} />;
    case 'people':
      return <PeoplePage params={params} />;
    case 'items':
      return <ItemsPage params={params} />;
    case 'data':
      return <DataPage />;
    case 'model':
      return <ModelPage />;
    case 'service':
      return <ServicePage />;
  }
}

function App() {
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  const api = useMemo(() => new Api(new SessionKeys(setPrompt, storageOf('sessionStorage'))), []);
  const route = useRoute();
  const criteria = useAsked((signal) => api.criteria(signal), []);
  return (
    <>
      <Layout route={route}>
        {criteria.error ? (
          <Failed error={criteria.error} again={criteria.again} />
        ) : criteria.answer ? (
          <AppContext.Provider value={{ api, criteria: criteria.answer }}>
            {pageOf(route.page, route.params)}
          </AppContext.Provider>
        ) : (
          <Loading what="the explorer" />
        )}
      </Layout>
      {prompt && <KeyPrompt prompt={prompt} />}
    </>
  );
}

render(<App />, document.getElementById('app')!);
